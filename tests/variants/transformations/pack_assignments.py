"""Assign two values in one statement: `a = f()` and `b = g()` become `a, b = f(), g()`."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.source import Source


def transform(project: Project, chance: random.Random) -> Project | None:
    """Join one pair of assignments of which the second does not read what the first binds."""

    def apply(path: str, source: Source, pair: tuple[ast.Assign, ast.Assign]) -> Project | None:
        targets = ", ".join(source.segment(one.targets[0]) for one in pair)
        values = ", ".join(source.expression(one.value) for one in pair)
        form = chance.choice(("{} = {}\n", "({}) = {}\n", "{} = ({})\n", "[{}] = [{}]\n"))
        edit = source.replace_lines(*pair, form.format(targets, values))
        return with_file(project, path, source.edited([edit]))

    return in_some_module(project, chance, _pairs, apply)


def _pairs(source: Source) -> list[tuple[ast.Assign, ast.Assign]]:
    found = []
    for first in source.walk(ast.Assign):
        body = source.body_of(first)
        for second in body[body.index(first) + 1 :][:1]:
            if isinstance(second, ast.Assign) and _are_independent(first, second):
                found.append((first, second))
    return found


def _are_independent(first: ast.Assign, second: ast.Assign) -> bool:
    if not (_is_simple(first) and _is_simple(second)):
        return False
    target = first.targets[0]
    if isinstance(target, ast.Attribute):
        # A call could read any attribute.
        return not any(isinstance(one, ast.Attribute | ast.Call) for one in ast.walk(second.value))
    assert isinstance(target, ast.Name)
    return all(
        one.id != target.id for one in ast.walk(second) if isinstance(one, ast.Name)
    ) and not any(isinstance(one, ast.Lambda) for one in ast.walk(second))


def _is_simple(statement: ast.Assign) -> bool:
    target = statement.targets[0]
    is_name = isinstance(target, ast.Name)
    is_own = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
    return len(statement.targets) == 1 and (is_name or is_own)
