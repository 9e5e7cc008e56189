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
    if project.loader is None:
        return None
    _, function = project.loader
    roles = _roles(source, function, call, adapters, set())
    return roles.pop() if len(roles) == 1 else None


def _roles(
    source: Source,
    function: ast.FunctionDef,
    node: ast.expr,
    adapters: set[str],
    seen: set[str],
) -> set[Role | None]:
    parent = source.names.parents[node]
    match parent:
        case ast.Tuple(elts=[_, _] as pair) if (
            isinstance(source.names.parents[parent], ast.Return)
            and source.names.function_of(node) is function
        ):
            return {Role(pair.index(node))}
        case ast.Call(func=func, args=[first, *_]) if (
            first is node and source.names.qualified(func) in adapters
        ):
            return _roles(source, function, parent, adapters, seen)
        case ast.keyword(arg="sequence" | "data"):
            outer = source.names.parents[parent]
            if isinstance(outer, ast.Call) and source.names.qualified(outer.func) in adapters:
                return _roles(source, function, outer, adapters, seen)
        case ast.Assign(targets=[ast.Name(id=name)]):
            if name in seen:
                return set()
            uses = [
                use
                for use in ast.walk(function)
                if isinstance(use, ast.Name) and use.id == name and isinstance(use.ctx, ast.Load)
            ]
            found: set[Role | None] = set()
            for use in uses:
                found |= _roles(source, function, use, adapters, seen | {name})
            return found or {None}
    return {None}
