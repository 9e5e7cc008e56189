"""What NumPy, pandas, scikit-learn and other libraries had in 2019, given back to them.

Each `restore_` function also replaces what the calling module has imported from its library.
"""

import contextlib
import functools
import importlib
import pkgutil
import sys

from pedl2det_legacy.library_functions import Imputer
from pedl2det_legacy.numpy_functions import old_names_of_numpy, with_objects
from pedl2det_legacy.pandas_methods import frequency, old_methods
from pedl2det_names.libraries import (
    DEFAULTS,
    FREQUENCIES,
    POSITIONAL,
    RENAMED,
    SEQUENCES,
)

#: Each function that was replaced and its replacement, by module.
_REPLACED = {}


def restore_h5py():
    """Let files be opened for writing by default, and give datasets their `value`."""
    _restore(old_h5py, "h5py")


def restore_numpy():
    """Let arrays have rows of several lengths, stacks take iterators, and names be as they were."""
    _restore(old_numpy, "numpy")


def restore_pandas():
    """Give frames their methods, and frequencies their spelling."""
    _restore(old_pandas, "pandas")


def restore_random():
    """Let sets be sampled, and `shuffle` take a function."""
    _restore(old_random, "random")


def restore_sklearn():
    """Let arguments be given by place and under their old names, and pickles find their modules."""
    for name in (
        "decomposition.pca",
        "ensemble.forest",
        "preprocessing.data",
        "preprocessing.label",
    ):
        with contextlib.suppress(ImportError):
            home = importlib.import_module(f"sklearn.{name.partition('.')[0]}")
            sys.modules.setdefault(f"sklearn.{name}", home)
    for module in ("model_selection", "preprocessing", "utils.class_weight"):
        _restore(old_sklearn, f"sklearn.{module}")


def restore_yaml():
    """Let `load` be called without a loader."""
    _restore(old_calls, "yaml")


def _restore(old_members, module):
    if module not in _REPLACED:
        _REPLACED[module] = []
        with contextlib.suppress(ImportError):
            for owner, name, made in old_members(importlib.import_module(module)):
                _REPLACED[module].append((vars(owner).get(name, made), made))
                setattr(owner, name, made)
    caller = sys._getframe(2).f_globals
    for before, made in _REPLACED[module]:
        names = [name for name, value in caller.items() if value is before]
        caller.update(dict.fromkeys(names, made))


def old_members(module, changed):
    """Yield each owner, name and object that a module had, with the `changed` functions alone."""
    own = {"h5py": old_h5py, "numpy": old_numpy, "pandas": old_pandas}
    own["random"] = old_random
    return own.get(module.__name__, old_sklearn)(module, changed)


_CHANGED = (*POSITIONAL, *RENAMED, *DEFAULTS)


def old_calls(module, changed=_CHANGED):
    """Yield the functions and constructors of a module that took other arguments."""
    for dotted in changed:
        home, _, name = dotted.rpartition(".")
        if home == module.__name__ and hasattr(module, name):
            yield _wrapped(module, name, _with_old_arguments(dotted))


def old_h5py(h5py, changed=_CHANGED):
    """Yield what h5py had."""
    yield from old_calls(h5py, changed)
    if not hasattr(h5py.Dataset, "value"):
        yield h5py.Dataset, "value", property(lambda dataset: dataset[()])


def old_numpy(numpy, changed=_CHANGED):
    """Yield what NumPy had."""
    yield from old_calls(numpy, changed)
    yield from _of_sequences(numpy)
    for name in ("array", "asarray"):
        yield _wrapped(numpy, name, with_objects)
    for name, value in old_names_of_numpy().items():
        yield numpy, name, value


def old_pandas(pandas, changed=_CHANGED):
    """Yield what pandas had."""
    yield from old_calls(pandas, changed)
    yield from old_methods(pandas)
    for name, (parameter, place) in FREQUENCIES.items():
        for owner in (pandas, pandas.DataFrame, pandas.Series):
            if hasattr(owner, name):
                is_function = not isinstance(getattr(pandas, name, pandas), type)
                at = place if owner is pandas and is_function else place + 1
                yield _wrapped(owner, name, _with_frequency(parameter, at))
    resample = pkgutil.resolve_name("pandas.core.resample")  # what Grouper(freq) makes
    yield _wrapped(resample, "TimeGrouper", _with_frequency("freq", 2))


def old_random(random, changed=_CHANGED):
    """Yield what Python's own module had."""
    yield from _of_sequences(random)
    yield _wrapped(random, "shuffle", with_numbers)


def old_sklearn(module, changed=_CHANGED):
    """Yield what a module of scikit-learn had."""
    yield from old_calls(module, changed)
    if module.__name__ == "sklearn.preprocessing":
        yield module, "Imputer", Imputer


def _of_sequences(module):
    for dotted in SEQUENCES:
        home, _, name = dotted.rpartition(".")
        if home == module.__name__:
            yield _wrapped(module, name, with_list)


def _wrapped(owner, name, wrap):
    """Return a function in a wrapper, or of a class its constructor."""
    original = getattr(owner, name)
    if isinstance(original, type):
        owner, name, original = original, "__init__", original.__init__
    return owner, name, wrap(original)


def _with_frequency(parameter, place):
    def wrap(function):
        @functools.wraps(function)
        def called(*args, **options):
            if parameter in options:
                options[parameter] = frequency(options[parameter])
            today = map(frequency, args[place : place + 1])
            return function(*args[:place], *today, *args[place + 1 :], **options)

        return called

    return wrap


def _with_old_arguments(dotted):
    """Return a wrapper of a function or constructor, which then takes its old arguments."""
    by_place = POSITIONAL.get(dotted, "").split()[1:]
    old, new = RENAMED.get(dotted, ("", ""))
    missing, place, value = DEFAULTS.get(dotted, ("", 0, None))

    def wrap(function):
        first = 1 + (function.__name__ == "__init__")  # behind self

        @functools.wraps(function)
        def called(*args, **options):
            if old in options:
                options.setdefault(new, options.pop(old))
            if by_place:
                options.update(zip(by_place, args[first:]))
                args = args[:first]
            if missing and len(args) < place + first:
                is_name = "." in str(value)
                options.setdefault(
                    missing, pkgutil.resolve_name(value) if is_name else value
                )
            return function(*args, **options)

        return called

    return wrap


def with_list(function):
    """Return a function of a sequence that takes an iterator or a set as well."""

    @functools.wraps(function)
    def called(*args, **options):
        if args and not hasattr(args[0], "__getitem__"):
            args = ([*args[0]], *args[1:])
        return function(*args, **options)

    return called


def with_numbers(function):
    """Return `random.shuffle`, which takes a function that gives numbers below 1 as well."""

    @functools.wraps(function)
    def called(x, random=None):
        if random is None:
            return function(x)
        for last in reversed(range(1, len(x))):
            other = int(random() * (last + 1))
            x[last], x[other] = x[other], x[last]

    return called
