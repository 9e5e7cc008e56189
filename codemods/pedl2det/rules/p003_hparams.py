"""Methods that got the hyperparameters as an argument ask the context for them.

``batch_size``, which the old harness divided by the number of slots, becomes
``get_per_slot_batch_size()``. Where the whole dict is needed, the function makes it once; it is
``legacy_keras.shared_hyperparameters()``, one dict for all methods, if code may change it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import partial

from pedl2det.analysis.context import entry_of
from pedl2det.analysis.flow.values import Function, Use, argument_for, by_position, defaults_of
from pedl2det.analysis.loaders import TRAINING_METHOD, VALIDATION_METHOD
from pedl2det.analysis.models import is_local
from pedl2det.analysis.names import Names
from pedl2det.analysis.trial import (
    GIVEN_HPARAMS,
    NEW_SIZE,
    Generation,
    Trial,
    ask_for_hparam,
    data_section,
)
from pedl2det.fixes import AddMember, Drop, Fix, InsertFirst, Remark, RenameFunction, Replace

#: Methods that early Determined called without arguments, although its first documents showed one.
_DATA_METHODS = (TRAINING_METHOD, VALIDATION_METHOD)
_DECORATED = "a decorator calls {} with the hyperparameters"
_ANY = "{} reads the hyperparameters from any number of arguments"
_NOT_GIVEN = "this calls {}, whose {} are not certainly the hyperparameters here"
_PLAIN = "{context}.get_hparams()"
_WITH_BATCH_SIZE = '{**{context}.get_hparams(), "batch_size": {context}.get_per_slot_batch_size()}'
_SHARED = "legacy_keras.shared_hyperparameters()"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the functions that the old harness called with hyperparameters or the config."""
    called = list(_called_by_harness(trial))
    parameters = [parameter for _, hparams, _ in called for parameter in hparams]
    uses = [
        use
        for parameter in parameters
        for use in trial.flow.parameter_uses(parameter)
        if not _is_for_base(trial.modules.home(use.node).names, use.node)
        and not ast.unparse(getattr(use.around, "func", use.around)).startswith("super(")
    ]
    is_shared = _keys(trial, uses) is None or any(use.is_change for use in uses)
    dict_of = partial(_dict_of_hparams, trial, is_shared)
    names = {read for parameter in parameters for read in trial.flow.reads_of(parameter)}
    for function, hparams, config in called:
        obstacle = _find_obstacle(trial, function, hparams, names)
        if obstacle is not None:
            yield obstacle
        elif hparams and trial.flow.is_wrapped(function):
            yield _behind_decorator(trial, function)
        else:
            yield from _rewrite_function(trial, function, hparams, config, dict_of)


def _called_by_harness(trial: Trial) -> Iterator[tuple[Function, list[ast.arg], list[ast.arg]]]:
    """The functions, each with its parameters for the hyperparameters and for the config."""
    is_old = trial.generation is Generation.PEDL
    for _, method in trial.methods(*GIVEN_HPARAMS, *_DATA_METHODS):
        parameters = by_position(method)[1:]
        is_given = is_old and method.name not in _DATA_METHODS
        if method.name == "__init__":  # it may take the context already
            own = trial.context.constructor_parameter(method)
            is_given = is_given and not any(parameter.arg == own for parameter in parameters[:1])
        elif any(parameter.arg == "hparams" for parameter in _required(method)):
            is_given = True  # left over from PEDL: early Determined passed nothing
        if is_given:
            yield method, parameters[:1], []
    for entry in (trial.loaders, trial.download):
        if entry is not None and trial.context.can_take(entry):
            by_place = entry_of(entry)
            yield entry, [*filter(None, [by_place.hparams])], [*filter(None, [by_place.config])]


def _required(method: Function) -> list[ast.arg]:
    """The parameters without a default."""
    defaults = defaults_of(method.args)
    parameters = (*by_position(method), *method.args.kwonlyargs)
    return [parameter for parameter in parameters if defaults.get(parameter) is None]


def _rewrite_function(
    trial: Trial,
    function: Function,
    hparams: Sequence[ast.arg],
    config: Sequence[ast.arg],
    dict_of: Callable[[Sequence[Use]], str],
) -> Iterable[Fix]:
    if function.name != "__init__":  # P001 writes a constructor's parameters, and its calls
        for call in trial.flow.calls(function):  # such as `super().build_model(hparams)`
            values = [argument_for(call, function, taken.arg) for taken in (*config, *hparams)]
            for value in filter(None, values):
                parent = trial.modules.home(call.node).names.parents[value]
                yield Fix(call.node, (Drop(parent if isinstance(parent, ast.keyword) else value),))
        extra = filter(None, (function.args.vararg, function.args.kwarg))
        unread = [parameter for parameter in extra if not trial.flow.reads_of(parameter)]
        yield Fix(function, tuple(Drop(parameter) for parameter in (*config, *hparams, *unread)))
    for parameter in hparams:
        yield from _rewrite_reads(trial, parameter, _hparam_read, dict_of)
    for parameter in config:
        yield from _rewrite_reads(trial, parameter, _config_read, lambda _: trial.config_uses.code)


def _find_obstacle(
    trial: Trial, function: Function, hparams: Sequence[ast.arg], names: Container[ast.expr | None]
) -> Remark | None:
    """Return what prevents a function from asking the context for its hyperparameters."""
    source = trial.modules.home(function)
    if function.name == "__init__" and hparams and trial.flow.is_wrapped(function):
        return Remark(function, _DECORATED.format(function.name))
    rest = filter(None, (function.args.vararg, function.args.kwarg))
    is_method = isinstance(source.names.parents[function], ast.ClassDef)
    any_reads = [read for parameter in rest for read in trial.flow.reads_of(parameter)]
    is_any = any(not _is_for_base(source.names, read) for read in any_reads)
    if is_method and is_any and not hparams:
        return Remark(function, _ANY.format(function.name))
    calls = [call for call in trial.flow.calls(function) if not is_local(trial, call.node)]
    for parameter in hparams:
        for call in calls:
            if argument_for(call, function, parameter.arg) not in names:
                return Remark(call.node, _NOT_GIVEN.format(function.name, parameter.arg))
    return None


def _behind_decorator(trial: Trial, function: Function) -> Fix:
    """Rename a decorated method, and add one that calls it with the hyperparameters."""
    source = trial.modules.home(function)
    owner = source.names.parents[function]
    assert isinstance(owner, ast.ClassDef)
    inner = f"_{function.name}_from_hparams"
    code = f"def {function.name}(self):\n    return self.{inner}({_SHARED})\n"
    return Fix(function, (RenameFunction(function, inner), AddMember(owner, code)))


def _is_for_base(names: Names, read: ast.expr) -> bool:
    """Whether a constructor passes its parameter to a base class, which P001 rewrites."""
    parent = names.parents[read]
    call = names.parents[parent] if isinstance(parent, ast.keyword | ast.Starred) else parent
    is_constructor = getattr(getattr(call, "func", None), "attr", "") == "__init__"
    around = names.around(read) if is_constructor else ()
    return any(getattr(node, "name", "") == "__init__" for node in around)


def _rewrite_reads(
    trial: Trial,
    parameter: ast.arg,
    simple: Callable[[Trial, ast.Name], Replace | None],
    whole: Callable[[Sequence[Use]], str],
) -> Iterable[Fix]:
    """Rewrite each read of a parameter by itself, or create the dict at the function's start.

    A class inside the function cannot reach the context, but can reach the dict.
    """
    names = trial.modules.home(parameter).names
    reads = [read for read in trial.flow.reads_of(parameter) if not _is_for_base(names, read)]
    edits = [simple(trial, read) for read in reads]
    is_plain = all(
        isinstance(read.ctx, ast.Load)  # and not `hparams |= more`
        and len(trial.flow.bindings(read)) == 1
        and trial.context.at(read)
        and not _is_in_layer(trial, names.definition_around(read))
        for read in reads
    )
    if is_plain and edits.count(None) <= 1:
        for read, edit in zip(reads, edits, strict=True):
            single = edit or Replace(read, whole(trial.flow.uses(read)))
            yield Fix(single.node, (single,))
        return
    code = whole([use for read in reads for use in trial.flow.uses(read)])
    function = names.definition_around(parameter)
    assert isinstance(function, Function)
    yield Fix(parameter, (InsertFirst(function, f"{parameter.arg} = {code}"),))


def _is_in_layer(trial: Trial, function: ast.AST | None) -> bool:
    """Whether code is in a lambda of a layer, which Keras saves with all that it reads."""
    uses = trial.flow.uses(function) if isinstance(function, ast.Lambda) else []
    calls = [use.around for use in uses if isinstance(use.around, ast.Call)]
    return any(trial.today(call.func) == "tensorflow.keras.layers.Lambda" for call in calls)


def _hparam_read(trial: Trial, read: ast.Name) -> Replace | None:
    """Ask the context for the one hyperparameter that is read."""
    names = trial.modules.home(read).names
    parent = names.parents[read]
    call = names.parents[parent]
    match parent, call:
        case ast.Subscript(slice=key, ctx=ast.Load()), _:
            asked = ask_for_hparam(trial, key)
            holes = {"key": key} if "{key}" in (asked or "") else {}
            return Replace(parent, asked, holes) if asked is not None else None
        case ast.Attribute(attr="get"), ast.Call(args=[key, *_], keywords=[], func=func) if (
            func is parent
        ):
            asked = ask_for_hparam(trial, key)
            if asked is None:
                return None
            return Replace(read, _PLAIN) if "{key}" in asked else Replace(call, asked)
    return None


def _dict_of_hparams(trial: Trial, is_shared: bool, uses: Sequence[Use]) -> str:
    """The simplest code for the dict that the old harness passed, as far as its uses allow.

    All methods share one dict where code may change it, or cannot be followed.
    """
    names = _keys(trial, uses) if uses and not is_shared else None
    if names is None or NEW_SIZE in names:
        return _SHARED
    return _WITH_BATCH_SIZE if "batch_size" in names else _PLAIN


def _keys(trial: Trial, uses: Sequence[Use]) -> set[object] | None:
    """The keys that uses of the dict read; None if more may be done with it."""
    keys = [use.key for use in uses]
    origins = [origin for key in keys if key is not None for origin in trial.flow.origins(key)]
    is_known = all(isinstance(origin.node, ast.Constant) and not origin.path for origin in origins)
    if None in keys or not is_known:
        return None
    return {origin.node.value for origin in origins if isinstance(origin.node, ast.Constant)}


def _config_read(trial: Trial, read: ast.Name) -> Replace | None:
    """Ask the context for the config's ``data`` section that is read."""
    parents = trial.modules.home(read).names.parents
    section = data_section(parents, read) if trial.config_uses.is_plain else None
    return Replace(section, "{context}.get_data_config()") if section is not None else None


EXAMPLE = """\
--- net.py
  class Net:
-     def session_config(self, hparams):
+     def session_config(self):
-         self.rows = 10 * hparams["batch_size"]
+         self.rows = 10 * self.context.get_per_slot_batch_size()
-         patience = hparams.get("patience", 3)
+         patience = self.context.get_hparams().get("patience", 3)
-         return configured(hparams["rate"], patience)
+         return configured(self.context.get_hparam("rate"), patience)
"""
