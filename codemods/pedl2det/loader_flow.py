"""What becomes of the objects that ``make_data_loaders`` makes: which loader, or something else."""

from __future__ import annotations

import ast
from enum import Enum

from pedl2det.project import TrialProject
from pedl2det.source import Source


class Role(Enum):
    """The loader that an object becomes."""

    TRAINING = 0
    VALIDATION = 1


def role_of(
    project: TrialProject, source: Source, call: ast.Call, adapters: set[str]
) -> Role | None:
    """The loader that a call's result becomes, if it becomes that and nothing else.

    The result may be returned in its place of the pair, or be bound to a name which is only
    returned there or handed to an adapter.

    Args:
        project: the trial.
        source: the file of the call.
        call: the call within ``make_data_loaders``.
        adapters: the dotted names of calls that hand their first argument on.
    """
    if project.loader is None or project.loader[0] is not source:
        return None
    _, function = project.loader
    if source.names.definition_around(call) is not function:
        return None
    roles = _roles(source, function, call, adapters, set())
    return roles.pop() if len(roles) == 1 else None


def pair_of(node: ast.AST | None) -> list[ast.expr] | None:
    """The two elements of ``a, b`` or ``[a, b]``."""
    if isinstance(node, ast.Tuple | ast.List) and len(node.elts) == 2:
        return node.elts
    return None


def returns_of(source: Source, function: ast.FunctionDef) -> list[ast.Return]:
    """The return statements of a function, without those of functions within it."""
    return [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and source.names.definition_around(node) is function
    ]


def _roles(
    source: Source,
    function: ast.FunctionDef,
    node: ast.expr,
    adapters: set[str],
    seen: set[str],
) -> set[Role | None]:
    parent = source.names.parents[node]
    outer = source.names.parents.get(parent)
    pair = pair_of(parent)
    if pair is not None and isinstance(outer, ast.Return):
        return (
            {Role(pair.index(node))}
            if source.names.definition_around(outer) is function
            else {None}
        )
    match parent:
        case ast.Call(func=func, args=[first, *_]) if (
            first is node and source.names.qualified(func) in adapters
        ):
            return _roles(source, function, parent, adapters, seen)
        case ast.keyword(arg="sequence" | "data") if (
            isinstance(outer, ast.Call) and source.names.qualified(outer.func) in adapters
        ):
            return _roles(source, function, outer, adapters, seen)
        case ast.Assign(targets=[ast.Name() as target]):
            return _roles_of_name(source, function, target, adapters, seen)
        case ast.Tuple() if pair is not None:
            match outer:
                case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(), ast.Name()]) as targets]):
                    element = targets.elts[pair.index(node)]
                    assert isinstance(element, ast.Name)
                    return _roles_of_name(source, function, element, adapters, seen)
    return {None}


def _roles_of_name(
    source: Source,
    function: ast.FunctionDef,
    target: ast.Name,
    adapters: set[str],
    seen: set[str],
) -> set[Role | None]:
    """The loaders that a local name becomes."""
    if target.id in seen:
        return set()
    uses = [
        use
        for use in ast.walk(function)
        if isinstance(use, ast.Name) and use.id == target.id and isinstance(use.ctx, ast.Load)
    ]
    is_local = source.names.binder(target) is function and not any(
        isinstance(node, ast.Global | ast.Nonlocal) and target.id in node.names
        for node in ast.walk(function)
    )
    found: set[Role | None] = set()
    for use in uses:
        found |= _roles(source, function, use, adapters, seen | {target.id})
    return found if found and is_local else {None}
