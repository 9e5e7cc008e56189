"""Methods that were given the hyperparameters ask the context for them.

``batch_size``, which the old harness divided by the number of slots, becomes
``get_per_slot_batch_size()``. Where the whole dict is needed, the function makes it once. A trial
that changes the dict is carried over whole: it was one dict for all methods.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable, Iterator, Sequence

from pedl2det.analysis.entry import entry_of, reads_any_local
from pedl2det.analysis.flow import Call, Function, Use, argument_for, by_position
from pedl2det.analysis.getters import ask_for_hparam, data_section
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import GIVEN_HPARAMS, Generation, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import (
    AddMember,
    Drop,
    Fix,
    InsertFirst,
    Remark,
    RenameFunction,
    Replace,
)
from pedl2det.rules.cases import Case, pedl_trial

ID = "P003"
NAME = "hparams"

#: Methods that early Determined called without, though its first documents showed them with it.
_DATA_METHODS = ("build_training_data_loader", "build_validation_data_loader")
_BOUND = (
    "{name} is bound to something else than a method of this class, which takes the hyperparameters"
)
_CHANGED = "{name} is changed, and all methods of the trial were given the same dict"
_BY_TEXT = "{function} may read its variables by a text, such as the hyperparameters"
_ANY = "{function} reads the hyperparameters from any number of arguments"
_COPY = "{name} = dict({name})"
_NOT_GIVEN = "this calls {function}, whose {name} are not certainly the hyperparameters here"
_HAND_ON = "hand on the hyperparameters, or give the method another name"
_NAMED = "def {function}(self, hparams): ..."
_PLAIN = "{context}.get_hparams()"
_WITH_BATCH_SIZE = '{**{context}.get_hparams(), "batch_size": {context}.get_per_slot_batch_size()}'
#: Rewrites one read of a parameter, if that is possible alone; writes the whole dict.
_Single = Callable[[Trial, ast.Name], Replace | None]
_Whole = Callable[[Trial, Sequence[Use]], str]
_AS_PEDL_HAD_THEM = "legacy_keras.get_hyperparameters()"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the functions that the old harness called with hyperparameters or the config."""
    given = list(_given(trial))
    names = {
        read for _, hparams, _ in given for one in hparams for read in trial.flow.reads_of(one)
    }
    called = _called_by_the_harness(trial)
    for function, hparams, config in given:
        odd = _odd(trial, function, hparams)
        if odd is None and function not in called:
            odd = _given_otherwise(trial, function, hparams, names)
        if odd is not None:
            yield odd
        elif trial.flow.is_wrapped(function) and hparams:
            if function.name != "__init__":  # P001 writes a constructor
                yield _behind_decorator(trial, function)
        else:
            yield from _function(trial, function, hparams, config)
    yield from _bound_otherwise(trial)


def _bound_otherwise(trial: Trial) -> Iterator[Remark]:
    """Methods of the old harness that no method of the class is behind: ``build_model = f``."""
    for owner in trial.classes if trial.generation is Generation.PEDL else ():
        for statement in owner.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)]) if name in GIVEN_HPARAMS:
                    if trial.flow.own_method(owner, name) is None:
                        home, message = trial.modules.home(owner), _BOUND.format(name=name)
                        help_ = f"def {name}(self): ..."
                        yield Remark(ID, home, statement, Kind.LEFT, message, help_)


def _given(trial: Trial) -> Iterator[tuple[Function, list[ast.arg], list[ast.arg]]]:
    """The functions, with their parameters for the hyperparameters and for the config."""
    for _, method in trial.methods(*GIVEN_HPARAMS, *_DATA_METHODS):
        parameters = by_position(method)[1:]
        is_given = trial.generation is Generation.PEDL and method.name not in _DATA_METHODS
        is_given = is_given and not _is_given_context(trial, method, parameters)
        if is_given or _is_leftover(method, parameters):
            yield method, parameters[:1], []
    for entry in (trial.loaders, trial.download):
        if entry is not None and trial.context.can_take(entry):
            given = entry_of(entry)
            hparams = [given.hparams] if given.hparams is not None else []
            yield entry, hparams, [given.config] if given.config is not None else []


def _called_by_the_harness(trial: Trial) -> set[Function]:
    """The functions that the harness itself calls: of methods, those nearest to a trial."""
    called = {entry for entry in (trial.loaders, trial.download) if entry is not None}
    for concrete in trial.concrete:
        for name in (*GIVEN_HPARAMS, *_DATA_METHODS):
            methods = [trial.flow.own_method(base, name) for base in trial.flow.bases(concrete)]
            called.update([method for method in methods if method is not None][:1])
    return called


def _given_otherwise(
    trial: Trial, function: Function, hparams: Sequence[ast.arg], names: Container[ast.expr | None]
) -> Remark | None:
    """A method that others call, with something else than the hyperparameters as they got them."""
    for call in trial.flow.calls(function):
        for parameter in hparams:
            if argument_for(call, function, parameter.arg) not in names:
                message = _NOT_GIVEN.format(function=function.name, name=parameter.arg)
                source = trial.modules.home(call.node)
                return Remark(ID, source, call.node, Kind.LEFT, message, _HAND_ON)
    return None


def _is_given_context(trial: Trial, method: Function, parameters: Sequence[ast.arg]) -> bool:
    """Whether a constructor takes the context already."""
    own = trial.context.constructor_parameter(method)
    return method.name == "__init__" and any(one.arg == own for one in parameters[:1])


def _is_leftover(method: Function, parameters: Sequence[ast.arg]) -> bool:
    """Whether a method of early Determined kept the argument that PEDL gave it."""
    return method.name != "__init__" and any(one.arg == "hparams" for one in parameters)


def _function(
    trial: Trial, function: Function, hparams: Sequence[ast.arg], config: Sequence[ast.arg]
) -> Iterable[Fix]:
    for call in trial.flow.calls(function):
        yield from _without_arguments(trial, call, function, (*config, *hparams))
    if function.name != "__init__":  # P001 writes a constructor's parameters
        arguments = function.args
        extra = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
        unread = [one for one in extra if not trial.flow.reads_of(one)]
        dropped = [Drop(one) for one in (*config, *hparams, *unread)]
        yield Fix(ID, trial.modules.home(function), function, tuple(dropped))
    for parameter in hparams:
        yield from _reads(trial, function, parameter, _hparam_read, _dict_of_hparams)
    for parameter in config:
        yield from _reads(trial, function, parameter, _config_read, _experiment_config)


def _odd(trial: Trial, function: Function, hparams: Sequence[ast.arg]) -> Remark | None:
    """What keeps the hyperparameters of a function from being asked of the context."""
    source = trial.modules.home(function)
    reads = [read for one in hparams for read in trial.flow.reads_of(one)]
    changed = [one for one in reads if any(use.is_change for use in trial.flow.uses(one))]
    if changed:
        help_ = _COPY.format(name=changed[0].id)
        message = _CHANGED.format(name=changed[0].id)
        return Remark(ID, source, changed[0], Kind.LEFT, message, help_)
    rest = [one for one in (function.args.vararg, function.args.kwarg) if one is not None]
    is_method = isinstance(source.names.parents[function], ast.ClassDef)
    any_reads = [read for one in rest for read in trial.flow.reads_of(one)]
    if reads_any_local(function):
        message = _BY_TEXT
    elif (
        is_method
        and not hparams
        and any(not _is_for_base(source, function, one) for one in any_reads)
    ):
        message = _ANY
    else:
        return None
    help_ = _NAMED.format(function=function.name)
    return Remark(ID, source, function, Kind.LEFT, message.format(function=function.name), help_)


def _behind_decorator(trial: Trial, function: Function) -> Fix:
    """A method under another name, called with the hyperparameters as before."""
    source = trial.modules.home(function)
    owner = source.names.parents[function]
    assert isinstance(owner, ast.ClassDef)
    inner = f"_{function.name}_from_hparams"
    code = (
        f"def {function.name}(self):\n    return self.{inner}(legacy_keras.get_hyperparameters())\n"
    )
    return Fix(ID, source, function, (RenameFunction(function, inner), AddMember(owner, code)))


def _without_arguments(
    trial: Trial, call: Call, function: Function, parameters: Sequence[ast.arg]
) -> Iterable[Fix]:
    """A call such as ``super().build_model(hparams)`` without the arguments that are gone."""
    source = trial.modules.home(call.node)
    for parameter in parameters:
        value = argument_for(call, function, parameter.arg)
        if value is not None and function.name != "__init__":
            parent = source.names.parents[value]
            node = parent if isinstance(parent, ast.keyword) else value
            yield Fix(ID, source, call.node, (Drop(node),))


def _is_for_base(source: Source, function: Function, read: ast.Name) -> bool:
    """Whether a constructor hands its parameter on to a base class, which P001 rewrites."""
    parent = source.names.parents[read]
    if isinstance(parent, ast.keyword | ast.Starred):
        parent = source.names.parents[parent]
    return (
        function.name == "__init__"
        and isinstance(parent, ast.Call)
        and isinstance(parent.func, ast.Attribute)
        and parent.func.attr == "__init__"
    )


def _reads(
    trial: Trial, function: Function, parameter: ast.arg, simple: _Single, whole: _Whole
) -> Iterable[Fix]:
    """Rewrite each read of a parameter by itself, or make the dict at the function's start."""
    source = trial.modules.home(function)
    reads = [
        read for read in trial.flow.reads_of(parameter) if not _is_for_base(source, function, read)
    ]
    only = [len(trial.flow.bindings(read)) == 1 for read in reads]
    singles = {read: simple(trial, read) for read in reads}
    others = [read for read, edit in singles.items() if edit is None]
    if all(only) and len(others) <= 1:
        for read in others:
            code = whole(trial, trial.flow.uses(read))
            edit = Replace(read, code)
            yield Fix(ID, source, read, (edit,))
        for single in singles.values():
            if single is not None:
                yield Fix(ID, source, single.node, (single,))
        return
    every = [use for read in reads for use in trial.flow.uses(read)]
    code = whole(trial, every)
    line = InsertFirst(function, f"{parameter.arg} = {code}")
    yield Fix(ID, source, parameter, (line,))


def _hparam_read(trial: Trial, read: ast.Name) -> Replace | None:
    """A read of one hyperparameter, as the context is asked for it."""
    names = trial.modules.home(read).names
    parent = names.parents[read]
    call = names.parents[parent]
    match parent, call:
        case ast.Subscript(slice=key, ctx=ast.Load()), _:
            asked = ask_for_hparam(trial, parent, key)
            holes = {"key": key} if "{key}" in (asked or "") else {}
            return Replace(parent, asked, holes) if asked is not None else None
        case ast.Attribute(attr="get"), ast.Call(args=[key, *_], keywords=[], func=func) if (
            func is parent
        ):
            asked = ask_for_hparam(trial, call, key)
            if asked is None:
                return None
            return Replace(read, _PLAIN) if "{key}" in asked else Replace(call, asked)
    return None


def _dict_of_hparams(trial: Trial, uses: Sequence[Use]) -> str:
    """The dict that the old harness gave, as plain as its uses allow."""
    keys = [use.key for use in uses]
    origins = [one for key in keys if key is not None for one in trial.flow.origins(key)]
    names = {one.node.value for one in origins if isinstance(one.node, ast.Constant)}
    is_known = all(isinstance(one.node, ast.Constant) and not one.path for one in origins)
    if not keys or None in keys or not is_known:
        return _AS_PEDL_HAD_THEM
    return _WITH_BATCH_SIZE if "batch_size" in names else _PLAIN


def _config_read(trial: Trial, read: ast.Name) -> Replace | None:
    """A read of the config's ``data`` section, as the context is asked for it."""
    parents = trial.modules.home(read).names.parents
    section = data_section(parents, read) if trial.config_uses.is_plain else None
    return Replace(section, "{context}.get_data_config()") if section is not None else None


def _experiment_config(trial: Trial, uses: Sequence[Use]) -> str:
    """The whole config of today, whose keys P029 looks at, or the config as it was."""
    del uses
    return trial.config_uses.code


_NET = """\
class Net:
    def session_config(self{hparams}):
"""
_OLD = _NET.format(hparams=", hparams")
_NEW = _NET.format(hparams="")
_LEGACY = f"import legacy_keras\n\n\n{_NEW}"
_KEYS = """\
        self.rows = 10 * hparams["batch_size"]
        patience = hparams.get("patience", 3)
        return configured(hparams["rate"], patience)
"""
_KEYS_AFTER = """\
        self.rows = 10 * self.context.get_per_slot_batch_size()
        patience = self.context.get_hparams().get("patience", 3)
        return configured(self.context.get_hparam("rate"), patience)
"""
_DECORATED = """\
class Net:
    @logged
    def session_config(self, hparams):
        return configured(hparams["rate"])
"""
_DECORATED_AFTER = """\
import legacy_keras


class Net:
    @logged
    def _session_config_from_hparams(self, hparams):
        return configured(hparams["rate"])

    def session_config(self):
        return self._session_config_from_hparams(legacy_keras.get_hyperparameters())
"""
_OWN_METHOD = """\
class Net:
    def watches(self, hparams):
        return configured(hparams["rate"])
"""
_FUNCTION = """\
def watch(self, hparams):
    return [Watch(hparams["rate"])]


class Net:
    keras_callbacks = watch
"""
_ANY_ARGUMENTS = """\
class Net:
    def session_config(self, *args):
        return configured(args[0]["rate"])
"""


def _case(before: str, after: str) -> Case:
    return Case(pedl_trial(before), {"net.py": after})


def _carried(before: str, why: str) -> Case:
    return Case(pedl_trial(before), {}, f"carried over as it was: {why}")


CASES = (
    _case(_OLD + _KEYS, _NEW + _KEYS_AFTER),
    _case(
        f"{_OLD}        return [hparams[key] for key in KEYS]\n",
        f"{_LEGACY}        return [legacy_keras.get_hyperparameters()[key] for key in KEYS]\n",
    ),
    _case(_DECORATED, _DECORATED_AFTER),
    _case(_OWN_METHOD, _OWN_METHOD),
    _carried(f'{_OLD}        hparams["rate"] *= 2\n', "hparams is changed"),
    _carried(_ANY_ARGUMENTS, "session_config reads"),
    _carried(_FUNCTION, "keras_callbacks is bound to"),
)
