"""Drop a parameter that a rewrite leaves without a use, from its function and from its calls."""

from __future__ import annotations

import ast

from pedl2det.analysis.entry import entry_of
from pedl2det.analysis.flow import Function, by_position
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import DropArgument, DropParameter, Edit


def without_parameter(trial: Trial, read: ast.expr) -> list[tuple[Source, Edit]]:
    """The edits that drop the parameter which an expression reads; none if more reads it.

    Args:
        trial: the project.
        read: the only place that still reads the parameter, and goes.
    """
    if not isinstance(read, ast.Name):
        return []
    bindings = trial.flow.bindings(read)
    parameter = bindings[0].node if len(bindings) == 1 else None
    if not isinstance(parameter, ast.arg) or trial.flow.reads_of(parameter) != [read]:
        return []
    source = trial.modules.home(parameter)
    function = source.names.definition_around(parameter)
    if not isinstance(function, Function) or _is_of_harness(trial, function, parameter):
        return []
    if isinstance(source.names.parents.get(function), ast.ClassDef) or trial.flow.escapes(function):
        return []
    edits: list[tuple[Source, Edit]] = [(source, DropParameter(function, parameter))]
    for call in trial.flow.calls(function):
        argument = _argument(function, call.node, parameter)
        if argument is None:
            return []
        edits.append((trial.modules.home(call.node), DropArgument(call.node, argument)))
    return edits


def _is_of_harness(trial: Trial, function: Function, parameter: ast.arg) -> bool:
    if function not in (trial.loaders, trial.download):
        return False
    entry = entry_of(function)
    return parameter in (entry.config, entry.hparams)


def _argument(
    function: Function, call: ast.Call, parameter: ast.arg
) -> ast.expr | ast.keyword | None:
    """The argument that fills the parameter, if nothing else of the call changes without it."""
    if any(isinstance(one, ast.Starred) for one in call.args):
        return None
    for keyword in call.keywords:
        if keyword.arg in (None, parameter.arg):
            return keyword if keyword.arg else None
    positional = by_position(function)
    index = positional.index(parameter) if parameter in positional else len(call.args)
    if index >= len(call.args):
        return None
    value = call.args[index]
    return (
        None if any(isinstance(one, ast.Call) and _works(one) for one in ast.walk(value)) else value
    )


def _works(call: ast.Call) -> bool:
    """Whether a call may do more than to look something up."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    return name not in ("get", "int", "get_hyperparameter", "get_per_slot_batch_size")
