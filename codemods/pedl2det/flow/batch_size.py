"""Whether an expression is the batch size that the old harness gave a trial."""

from __future__ import annotations

import ast

from pedl2det.facts.arguments import arguments_of
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.flow import where
from pedl2det.flow.hparams import is_hparams
from pedl2det.tables.legacy import GET_HYPERPARAMETER


def is_batch_size(project: TrialProject, source: Source, node: ast.expr) -> bool:
    """Whether an expression is the hyperparameter ``batch_size``, seen through one name."""
    function = source.names.function_of(node)
    match node:
        case ast.Call(func=ast.Attribute(attr="get_per_slot_batch_size"), args=[]):
            return True
        case ast.Name(id=name) if isinstance(function, ast.FunctionDef):
            constant = project.calls.meaning(source, node)
            if isinstance(constant, ast.Assign):
                return is_batch_size(project, project.calls.home[constant], constant.value)
            if source.names.binder(node) is function and _is_parameter(function, name):
                return _is_given(project, source, function, name)
            return _is_bound_once(project, source, function, name)
        case ast.Call(func=ast.Name(id="int"), args=[inner], keywords=[]):
            return is_batch_size(project, source, inner)
        case (
            ast.Call(func=func, args=[ast.Constant(value="batch_size")])
            | ast.Call(
                func=func,
                keywords=[ast.keyword(arg="name", value=ast.Constant(value="batch_size"))],
            )
        ) if source.names.qualified(func) == GET_HYPERPARAMETER:
            return True
        case (
            ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value="batch_size"))
            | ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get"),
                args=[ast.Constant(value="batch_size"), *_],
            )
        ) if isinstance(function, ast.FunctionDef):
            return is_hparams(project, source, function, name)
    return False


def _is_parameter(function: ast.FunctionDef, name: str) -> bool:
    return name in [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]


def _is_given(project: TrialProject, source: Source, function: ast.FunctionDef, name: str) -> bool:
    """Whether every call of a function gives it the hyperparameter under a name, unchanged."""
    parameters = tuple(argument.arg for argument in function.args.args)
    uses = project.calls.uses(function)
    inside = where.uses_of(source, function, name)
    if not uses or any(not isinstance(node.ctx, ast.Load) for node in inside):
        return False
    for use in uses:
        given = arguments_of(use.call, parameters) if use.call else None
        if given is None or name not in given:
            return False
        if not is_batch_size(project, use.source, given[name]):
            return False
    return True


def _is_bound_once(
    project: TrialProject, source: Source, function: ast.FunctionDef, name: str
) -> bool:
    """Whether a name is bound once in a function, to the hyperparameter."""
    bound = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
    ]
    if len(bound) != 1:
        return False
    statement = source.names.parents[bound[0]]
    return (
        isinstance(statement, ast.Assign)
        and statement.targets == [bound[0]]
        and is_batch_size(project, source, statement.value)
    )
