"""Methods that were given the hyperparameters ask the context for them.

``batch_size``, which the old harness divided by the number of slots, becomes
``get_per_slot_batch_size()``. Where the whole dict is needed, the function makes it once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from pedl2det.analysis.entry import entry_of
from pedl2det.analysis.flow import Call, Function, Use, Way, argument_for
from pedl2det.analysis.trial import GIVEN_HPARAMS, Generation, Trial
from pedl2det.fixes import (
    AddMember,
    DropArgument,
    DropParameter,
    Edit,
    Fix,
    Form,
    InsertFirst,
    Remark,
    RenameFunction,
    Replace,
)

ID = "P003"
NAME = "hparams"

#: Methods that early Determined called without, though its first documents showed them with it.
_DATA_METHODS = ("build_training_data_loader", "build_validation_data_loader")
_PLAIN = "{context}.get_hparams()"
_WITH_BATCH_SIZE = '{**{context}.get_hparams(), "batch_size": {context}.get_per_slot_batch_size()}'
_AS_PEDL_HAD_THEM = "legacy_keras.get_hyperparameters()"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the functions that the old harness called with hyperparameters or the config."""
    for _, method in trial.methods(*GIVEN_HPARAMS, *_DATA_METHODS):
        parameters = [*method.args.posonlyargs, *method.args.args][1:]
        is_given = trial.generation is Generation.PEDL and method.name in GIVEN_HPARAMS
        if is_given or _is_leftover(method, parameters):
            yield from _function(trial, method, hparams=parameters[:1], config=[])
    for entry in (trial.loaders, trial.download):
        if entry is not None and trial.context.can_take(entry):
            given = entry_of(entry)
            hparams = [given.hparams] if given.hparams is not None else []
            config = [given.config] if given.config is not None else []
            yield from _function(trial, entry, hparams=hparams, config=config)


def _is_leftover(method: Function, parameters: Sequence[ast.arg]) -> bool:
    """Whether a method of early Determined kept the argument that PEDL gave it."""
    return method.name != "__init__" and any(one.arg == "hparams" for one in parameters)


def _function(
    trial: Trial, function: Function, hparams: Sequence[ast.arg], config: Sequence[ast.arg]
) -> Iterable[Fix | Remark]:
    source = trial.modules.home(function)
    if _is_decorated(function) and hparams:
        yield _behind_decorator(trial, function)
        return
    for call in trial.flow.calls(function):
        yield from _without_arguments(trial, call, function, (*config, *hparams))
    if function.name != "__init__":  # P001 writes a constructor's parameters
        dropped: list[Edit] = [DropParameter(function, one) for one in (*config, *hparams)]
        arguments = function.args
        extra = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
        dropped += [DropParameter(function, one) for one in extra if not trial.flow.reads_of(one)]
        yield Fix(ID, source, function, tuple(dropped))
    for parameter in hparams:
        yield from _reads(trial, function, parameter, _hparam_read, _dict_of_hparams)
    for parameter in config:
        yield from _reads(trial, function, parameter, _config_read, _experiment_config)


def _is_decorated(function: Function) -> bool:
    """Whether a decorator calls a function with the arguments that it knows."""
    names = {ast.unparse(one).rpartition(".")[2] for one in function.decorator_list}
    return bool(names - {"abstractmethod", "override", "overrides"})


def _behind_decorator(trial: Trial, function: Function) -> Fix:
    """The decorated method under another name, called with the hyperparameters as before."""
    source = trial.modules.home(function)
    owner = source.names.parents[function]
    assert isinstance(owner, ast.ClassDef)
    inner = f"_{function.name}_from_hparams"
    code = (
        f"def {function.name}(self):\n    return self.{inner}(legacy_keras.get_hyperparameters())\n"
    )
    edits: tuple[Edit, ...] = (RenameFunction(function, inner), AddMember(owner, code))
    support = ("get_hyperparameters",)
    return Fix(ID, source, function, edits, support=support, form=Form.FAITHFUL)


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
            yield Fix(ID, source, call.node, (DropArgument(call.node, node),))


def _reads(trial, function, parameter, simple, whole) -> Iterable[Fix]:  # type: ignore[no-untyped-def]
    """Rewrite each read of a parameter by itself, or make the dict at the function's start."""
    source = trial.modules.home(function)
    reads = trial.flow.reads_of(parameter)
    only = [len(trial.flow.bindings(read)) == 1 for read in reads]
    singles = {read: simple(trial, read) for read in reads}
    others = [read for read, edit in singles.items() if edit is None]
    uses = [use for read in others for use in trial.flow.uses(read)]
    changed = any(use.way is Way.STORED or _is_mutation(use) for use in uses)
    if all(only) and not changed and len(others) <= 1:
        for read in others:
            code, form, support = whole(trial, trial.flow.uses(read))
            edit = Replace(read, code)
            yield Fix(ID, source, read, (edit,), support=support, form=form)
        for edit in singles.values():
            if edit is not None:
                yield Fix(ID, source, edit.node, (edit,))
        return
    every = [use for read in reads for use in trial.flow.uses(read)]
    code, form, support = whole(trial, every)
    edit = InsertFirst(function, f"{parameter.arg} = {code}")
    yield Fix(ID, source, parameter, (edit,), support=support, form=form)


def _hparam_read(trial: Trial, read: ast.Name) -> Replace | None:
    """A read of one hyperparameter, as the context is asked for it."""
    parents = trial.modules.home(read).names.parents
    parent = parents[read]
    match parent:
        case ast.Subscript(slice=key, ctx=ast.Load()):
            if _constant(trial, key) == "batch_size":
                return Replace(parent, "{context}.get_per_slot_batch_size()")
            return Replace(parent, "{context}.get_hparam({key})", {"key": key})
        case ast.Attribute(attr="get") if isinstance(parents[parent], ast.Call):
            call = parents[parent]
            assert isinstance(call, ast.Call)
            if not call.args or call.keywords:
                return None
            if _constant(trial, call.args[0]) == "batch_size":
                return Replace(call, "{context}.get_per_slot_batch_size()")
            return Replace(read, _PLAIN)
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[one], left=key) if one is read:
            return None if _constant(trial, key) == "batch_size" else Replace(read, _PLAIN)
    return None


def _constant(trial: Trial, key: ast.expr) -> object:
    """The value of a key, if it has just one that is visible."""
    found = trial.flow.origins(key)
    if len(found) == 1 and isinstance(found[0].node, ast.Constant) and not found[0].path:
        return found[0].node.value
    return None


def _is_mutation(use: Use) -> bool:
    return use.way is Way.METHOD and getattr(getattr(use.around, "func", None), "attr", "") in (
        *("pop", "update", "setdefault", "clear", "popitem"),
    )


def _dict_of_hparams(trial: Trial, uses: Sequence[Use]) -> tuple[str, Form, tuple[str, ...]]:
    """The dict that the old harness gave, as plain as its uses allow."""
    keys: set[object] = set()
    for use in uses:
        if use.way is Way.ITEM and isinstance(use.around, ast.Subscript):
            keys.add(_constant(trial, use.around.slice))
        elif use.way is Way.STORED and isinstance(use.around, ast.Subscript):
            continue
        elif use.way is Way.METHOD and isinstance(use.around, ast.Call):
            known = getattr(use.around.func, "attr", "") in ("get", "pop") and use.around.args
            keys.add(_constant(trial, use.around.args[0]) if known else None)
        elif use.way is Way.TESTED and isinstance(use.around, ast.Compare):
            keys.add(_constant(trial, use.around.left))
        else:
            keys.add(None)
    if None in keys:
        return _AS_PEDL_HAD_THEM, Form.FAITHFUL, ("get_hyperparameters",)
    if "batch_size" in keys:
        return _WITH_BATCH_SIZE, Form.IDIOMATIC, ()
    return _PLAIN, Form.IDIOMATIC, ()


def _config_read(trial: Trial, read: ast.Name) -> Replace | None:
    """A read of the config's ``data`` section, as the context is asked for it."""
    parents = trial.modules.home(read).names.parents
    parent = parents[read]
    match parent:
        case ast.Subscript(slice=key, ctx=ast.Load()) if _constant(trial, key) == "data":
            return Replace(parent, "{context}.get_data_config()")
        case ast.Attribute(attr="get"):
            call = parents[parent]
            if (
                isinstance(call, ast.Call)
                and call.args
                and _constant(trial, call.args[0]) == "data"
            ):
                return Replace(call, "{context}.get_data_config()")
    return None


def _experiment_config(trial: Trial, uses: Sequence[Use]) -> tuple[str, Form, tuple[str, ...]]:
    """The whole config; its sections have changed with the migration, which P040 looks at."""
    del trial, uses
    return "{context}.get_experiment_config()", Form.IDIOMATIC, ()
