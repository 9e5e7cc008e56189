"""Give keyword arguments as a dict: `f(a=1)` becomes `f(**{"a": 1})` or `f(**dict(a=1))`."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.order import is_quiet
from variants.project import Project, with_file
from variants.scopes import fresh
from variants.source import Edit, Source
from variants.transformations.name_subexpression import can_precede

NAMES = ("options", "kwargs_", "settings_", "arguments", "opts")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Change all keyword arguments of one call, of which no other argument comes later."""
    name = fresh(project, chance, *NAMES)

    def places(source: Source) -> list[ast.Call]:
        return [
            one
            for one in source.walk(ast.Call)
            if one.keywords
            and all(keyword.arg for keyword in one.keywords)
            and source.function_of(one) is not None
        ]

    def apply(path: str, source: Source, node: ast.Call) -> Project | None:
        pairs = [(one.arg, source.expression(one.value)) for one in node.keywords]
        if chance.random() < 0.5:
            text = f"dict({', '.join(f'{key}={value}' for key, value in pairs)})"
        else:
            inner = ", ".join(f'"{key}": {value}' for key, value in pairs)
            text = f"{{{inner}}}"
        start, _ = source.span(node.keywords[0])
        if any(source.span(one)[0] > start for one in node.args):
            return None
        _, end = source.span(node.keywords[-1])
        statement = source.statement_of(node)
        values = [*node.args, *(one.value for one in node.keywords)]
        is_alone = isinstance(statement, ast.Expr) and statement.value is node
        if is_alone and can_precede(source, statement) and all(map(is_quiet, values)):
            line = source.before(statement, f"{name} = {text}\n")
            edits = [line, Edit(start, end, f"**{name}")]
        else:
            edits = [Edit(start, end, f"**{text}")]
        return with_file(project, path, source.edited(edits))

    return in_some_module(project, chance, places, apply)
