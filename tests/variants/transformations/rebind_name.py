"""Bind a name to a first value, then to the final one: `x = g(f(y))`, `x = f(y); x = g(x)`."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.source import Source
from variants.transformations.name_subexpression import nameable


def transform(project: Project, chance: random.Random) -> Project | None:
    """Split one assignment to a name."""

    def places(source: Source) -> list[ast.expr]:
        return [node for node in nameable(source) if _name(source, node) is not None]

    def apply(path: str, source: Source, node: ast.expr) -> Project | None:
        name = _name(source, node)
        statement = source.statement_of(node)
        line = source.before(statement, f"{name} = {source.expression(node)}\n")
        return with_file(project, path, source.edited([line, source.replace(node, str(name))]))

    return in_some_module(project, chance, places, apply)


def _name(source: Source, node: ast.expr) -> str | None:
    """Return the name that the statement of an expression binds and does not read elsewhere."""
    match source.statement_of(node):
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            reads = {one for one in ast.walk(value) if isinstance(one, ast.Name) and one.id == name}
            within = {one for one in ast.walk(node) if isinstance(one, ast.Name)}
            return name if reads <= within and value is not node else None
    return None
