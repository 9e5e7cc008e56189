"""Whether a function's name means the hyperparameters, through calls and other names."""

from __future__ import annotations

import ast

from pedl2det.facts.arguments import arguments_of
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.flow import where


def is_hparams(
    project: TrialProject,
    source: Source,
    function: ast.FunctionDef,
    name: str,
    seen: frozenset[tuple[ast.AST, str]] = frozenset(),
) -> bool:
    """Whether a name means the dict of hyperparameters that the old harness gave.

    Args:
        project: the trial.
        source: the file.
        function: the function in which the name stands.
        name: its name.
        seen: functions and names that are being asked about already.
    """
    if (function, name) in seen:
        return False
    seen |= {(function, name)}
    uses = where.uses_of(source, function, name)
    bound = [use for use in uses if not isinstance(use.ctx, ast.Load)]
    if any(name in node.names for node in ast.walk(function) if isinstance(node, ast.Global)):
        return False
    if not bound:
        given = where.hparams_of(project, source, function) == name
        return given or _is_given(project, function, name, seen)
    match source.names.parents[bound[0]]:
        case ast.Assign(targets=[ast.Name()], value=ast.Name(id=other) as value) if (
            len(bound) == 1 and source.names.binder(value) is function
        ):
            is_argument = name in [
                argument.arg
                for argument in ast.walk(function.args)
                if isinstance(argument, ast.arg)
            ]
            return not is_argument and is_hparams(project, source, function, other, seen)
    return False


def _is_given(
    project: TrialProject,
    function: ast.FunctionDef,
    name: str,
    seen: frozenset[tuple[ast.AST, str]],
) -> bool:
    """Whether every call of a function gives it the hyperparameters under a name."""
    parameters = tuple(argument.arg for argument in function.args.args)
    uses = project.calls.uses(function)
    if function.decorator_list or name not in parameters:
        return False
    for use in uses:
        given = arguments_of(use.call, parameters) if use.call else None
        value = given.get(name) if given else None
        caller = use.source.names.function_of(use.node)
        if not isinstance(value, ast.Name) or not isinstance(caller, ast.FunctionDef):
            return False
        if use.source.names.binder(value) is not caller:
            return False
        if not is_hparams(project, use.source, caller, value.id, seen):
            return False
    return bool(uses)
