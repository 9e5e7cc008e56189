"""Bind a dead name to the next value: `a = f(); b = g(a)` becomes `a = f(); a = g(a)`."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.scopes import bound, occurrences
from variants.source import COMPREHENSIONS, ScopeNode, Source
from variants.transformations.rename_local import rename


def transform(project: Project, chance: random.Random) -> Project | None:
    """Use one local name for the values of two."""

    def apply(path: str, source: Source, pair: tuple[ast.FunctionDef, str, str]) -> Project | None:
        function, dead, name = pair
        found = occurrences(source, function, name)
        return with_file(project, path, rename(source, found, dead)) if found else None

    return in_some_module(project, chance, _pairs, apply)


def _pairs(source: Source) -> list[tuple[ast.FunctionDef, str, str]]:
    """Return functions with a name whose last read precedes the first binding of another."""
    return [
        (function, dead, name)
        for function in source.functions()
        for dead in sorted(bound(function) - {"self", "cls"})
        for name in sorted(bound(function))
        if dead != name and _is_dead_before(source, function, dead, name)
    ]


def _is_dead_before(source: Source, function: ast.FunctionDef, dead: str, name: str) -> bool:
    for number, statement in enumerate(function.body):
        if name not in _names(statement):
            continue
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                later = function.body[number + 1 :]
                unread = all(dead not in _names(one) for one in later) and name not in _names(value)
                captured = any(
                    isinstance(one, (*ScopeNode, *COMPREHENSIONS)) and dead in _names(one)
                    for one in ast.walk(function)
                    if one is not function
                )
                return unread and not captured and occurrences(source, function, dead) is not None
        return False
    return False


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
