"""Give a part of an expression a name on a line of its own: `y = g(f(x))`, `z = f(x); y = g(z)`."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.order import evaluated_first
from variants.project import Project, with_file
from variants.scopes import fresh
from variants.source import Source, is_docstring

NAMES = ("value", "result", "part", "temp", "first_part", "prepared", "intermediate", "arg")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Name one call, subscript or arithmetic expression."""
    name = fresh(project, chance, *NAMES)

    def apply(path: str, source: Source, node: ast.expr) -> Project | None:
        statement = source.statement_of(node)
        line = source.before(statement, f"{name} = {source.expression(node)}\n")
        return with_file(project, path, source.edited([line, source.replace(node, name)]))

    return in_some_module(project, chance, nameable, apply)


def nameable(source: Source) -> list[ast.expr]:
    """Return the expressions that can move to the line before."""
    found = []
    for statement in source.walk(ast.stmt):
        if not can_precede(source, statement):
            continue
        for node in evaluated_first(source, statement):
            whole = source.parents[node] is statement and not isinstance(statement, ast.Return)
            kinds = ast.Call | ast.Subscript | ast.BinOp | ast.List | ast.Dict | ast.Attribute
            is_function = isinstance(node, ast.Attribute) and not isinstance(node.value, ast.Name)
            if isinstance(node, kinds) and not whole and not is_function:
                found += [] if _is_called(source, node) else [node]
    return found


def can_precede(source: Source, statement: ast.stmt) -> bool:
    """Return whether a line can be added before a statement of a function or a script."""
    parent = source.parents[statement]
    is_elif = isinstance(statement, ast.If) and isinstance(parent, ast.If)
    is_elif = is_elif and statement in parent.orelse and len(parent.orelse) == 1
    in_code = source.function_of(statement) is not None or isinstance(parent, ast.If)
    is_class = isinstance(parent, ast.ClassDef)
    return in_code and not is_elif and not is_class and not is_docstring(statement)


def _is_called(source: Source, node: ast.expr) -> bool:
    parent = source.parents[node]
    return isinstance(parent, ast.Call) and parent.func is node
