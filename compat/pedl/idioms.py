"""Serve old names of TensorFlow, its Keras, NumPy and other libraries while an old trial is loaded.

Importing ``pedl.frameworks.keras`` installs the replacements; ``pedl2det run`` imports it before it
loads an old trial. ``deactivate`` removes them. Migrated code does not need them.

Most names are rows of ``pedl2det_names``. ``_idioms`` adds wrappers of functions with changed
behavior.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pedl import old_functions, old_keras, old_libraries
from pedl.old_classes import compiling
from pedl.old_names import HiddenPackage, OldPackage, Unserved, old_name
from pedl2det_names import Age, lookup, rows
from pedl2det_names.name import KERAS_2_11, TENSORFLOW_2
from pedl2det_names.tensorflow import CONTRIB
from pedl2det_runtime.backends import keras_versions
from pedl2det_runtime.errors import WrongKerasError

_LR_IS_DEPRECATED = "The `lr` argument is deprecated"
_PACKAGES = (
    "tensorflow.keras.mixed_precision.experimental",
    "tensorflow.keras.wrappers",
    "tensorflow.python.distribute.distribution_strategy_context",
)
_PHASE = "tensorflow.keras.backend.set_learning_phase"
_MISSING = object()
_undo: list[Callable[[], object]] = []


@dataclass(frozen=True)
class _Idiom:
    """An old name and its replacement."""

    dotted: str  #: the old name; ``{keras}`` is the package of Keras 2
    replace: Callable[[Any], Any]  #: returns the replacement of the present object
    #: install the replacement only if this version lacks the name, which has no present object then
    if_missing: bool = False


def _idioms(tf: Any, age: Age) -> Iterator[_Idiom]:
    """Yield the replacements for code of an age."""
    from pedl2det_legacy.old_keras import with_legacy_optimizers

    yield from _removed_names(tf)
    yield from _replaced_names(tf, KERAS_2_11)
    for module in ("tensorflow.keras.optimizers", "{keras}.src.optimizers"):  # compile's own
        for name in ("deserialize", "get"):
            yield _Idiom(f"{module}.{name}", with_legacy_optimizers)
    for module in ("tensorflow.keras.optimizers", "tensorflow.optimizers"):
        yield _Idiom(f"{module}.Optimizer", lambda _: tf.keras.optimizers.legacy.Optimizer)
    images = "{keras}.src.preprocessing.image.ImageDataGenerator"
    yield _Idiom(f"{images}.__init__", old_functions.warning_of_images)
    if age is Age.TENSORFLOW_1:
        yield from _meanings_of_tensorflow_1(tf)


def _removed_names(tf: Any) -> Iterator[_Idiom]:
    """Yield the names of the table: successors, or errors that name them."""

    def missing(dotted: str, make: Callable[..., Any], argument: Any) -> _Idiom:
        return _Idiom(dotted, lambda _: make(argument, tf), if_missing=True)

    yield missing("tensorflow.__getattr__", HiddenPackage, CONTRIB)
    for dotted in _PACKAGES:
        yield missing(dotted, OldPackage, dotted)
    for row in rows():
        root, _, _ = row.old.partition(".")
        parent, _, _ = row.old.rpartition(".")
        is_served = row.old in (CONTRIB, *_PACKAGES) or lookup(parent) is not None
        if root == "tensorflow" and not is_served:
            yield missing(row.old, old_name, row)


def _replaced_names(tf: Any, since: str) -> Iterator[_Idiom]:
    """Yield the names that have another meaning since a version, with the object of their time."""
    for row in rows():
        if row.changed and row.since == since and row.new not in (None, row.old):
            served = functools.partial(old_functions.of_its_time, row, old_name(row, tf))
            yield _Idiom(row.old, served)


def _meanings_of_tensorflow_1(tf: Any) -> Iterator[_Idiom]:
    """Yield what exists today with another meaning than in TensorFlow 1."""
    from pedl2det_legacy import sessions

    yield from _replaced_names(tf, TENSORFLOW_2)
    write = getattr(lookup(_PHASE), "write", "")
    engine = "{keras}.src.engine"
    for dotted, wrap in (
        ("tensorflow.python.framework.ops._EagerTensorBase.eval", lambda _: sessions.evaluated),
        ("tensorflow.keras.backend.eval", sessions.evaluating),
        ("{keras}.src.backend.eval", sessions.evaluating),
        (f"{engine}.training.Model.compile", compiling),
        (f"{engine}.training_v1.Model.compile", compiling),
        (_PHASE, lambda original: Unserved(_PHASE.replace("tensorflow", "tf"), write, original)),
    ):
        yield _Idiom(dotted, wrap)


def activate(age: Age = Age.TENSORFLOW_1, *, standalone: bool = False) -> None:
    """Install the replacements, unless they are installed.

    Args:
        age: the TensorFlow version that the trial was written for.
        standalone: its layers are of standalone Keras; their names are counted from 1.

    Raises:
        ImportError: Keras 3 is already imported as ``keras``.
    """
    if _undo:
        return
    if str(getattr(sys.modules.get("keras"), "__version__", "")).startswith("3"):
        raise WrongKerasError(
            "Keras 3 was imported before pedl, by `import keras` or by TensorFlow: "
            "set TF_USE_LEGACY_KERAS=1 in the environment before Python starts, and put `import "
            "pedl` before `import keras`; or start the trial with `pedl2det run DIR`"
        )
    import tensorflow as tf

    from pedl2det_legacy import keras_1, old_layers
    from pedl2det_legacy import old_keras as legacy
    from pedl2det_legacy.old_attributes import old_attributes, old_dimensions

    is_of_1 = age is Age.TENSORFLOW_1
    keras_versions.prepare()
    old_keras.serve()
    warnings.filterwarnings("ignore", message=_LR_IS_DEPRECATED)
    changes = [*(legacy.standalone_keras() if standalone else legacy.old_masks())]
    if is_of_1:
        changes += [*legacy.old_keras(), *keras_1.old_arguments(), *old_dimensions()]
    for owner, name, wrap in changes:  # what a migrated trial may say as well
        _put(owner, name, old_layers.wrapped_once(getattr(owner, name), wrap))
    idioms = list(_idioms(tf, age))
    modules = {idiom.dotted.rpartition(".")[0] for idiom in idioms}
    owners = {module: [*_owners(tf, module)] for module in modules}
    for idiom in idioms:
        module, _, name = idiom.dotted.rpartition(".")
        for owner in owners[module]:
            _install(idiom, owner, name)
    for path, served in list(old_keras.modules(tf, age)):  # create all before installing any
        _put_module(path, served)
    for owner, name, made in old_attributes():
        _put(owner, name, made)
    finder = old_libraries.Finder(age, _put)
    _undo.append(finder.stop)
    finder.start()


def _install(idiom: _Idiom, owner: Any, name: str) -> None:
    if not idiom.if_missing:
        _put(owner, name, idiom.replace(getattr(owner, name, None)))
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if hasattr(owner, name):
            return
    try:
        served = idiom.replace(None)
    except AttributeError:  # this TensorFlow has no successor
        return
    _put(owner, name, served)
    for path, package in served.packages() if isinstance(served, OldPackage) else ():
        _put_module(path, package)


def deactivate() -> None:
    """Remove the replacements."""
    while _undo:
        _undo.pop()()
    old_keras.serve_no_more()
    warnings.filters[:] = [  # type: ignore[index]
        known for known in warnings.filters if getattr(known[1], "pattern", "") != _LR_IS_DEPRECATED
    ]


def _put(owner: Any, name: str, served: Any) -> None:
    before = vars(owner).get(name, _MISSING)
    if before is _MISSING:
        _undo.append(functools.partial(delattr, owner, name))
    else:
        _undo.append(functools.partial(setattr, owner, name, before))
    setattr(owner, name, served)


def _put_module(path: str, module: Any) -> None:
    before = sys.modules.get(path)
    if before is None or getattr(before, "__file__", None) == str(old_keras.SERVED / "__init__.py"):
        _undo.append(functools.partial(sys.modules.pop, path, None))
    else:
        _undo.append(functools.partial(sys.modules.__setitem__, path, before))
    sys.modules[path] = module
    parent, _, name = path.rpartition(".")
    if parent == "tensorflow.python":  # `from tensorflow.python import keras` reads the attribute
        _put(sys.modules[parent], name, module)


def _owners(tf: Any, dotted: str) -> Iterator[Any]:
    """Yield every object that a dotted name may resolve to.

    ``import tensorflow.keras.optimizers`` and the attribute ``tf.keras.optimizers`` are different
    module objects, because TensorFlow loads Keras lazily.
    """
    keras = tf.keras.Model.__module__.partition(".")[0]
    path = dotted.format(keras=keras)
    module, _, last = path.rpartition(".")
    if last[:1] == "_" or last[:1].isupper():  # a class
        yield getattr(importlib.import_module(module), last)
        return
    imported = None
    with contextlib.suppress(ModuleNotFoundError):  # some are only attributes
        imported = importlib.import_module(path)
        yield imported
    if not dotted.startswith("tensorflow."):
        return
    target = tf
    for part in dotted.split(".")[1:]:
        if not hasattr(target, part):  # private, or only a module
            return
        dir(getattr(target, part))  # a lazy module is replaced on first access
        target = getattr(target, part)
    if target is not imported:
        yield target
