"""Write two statements on one line, or a body on the line of its header."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.source import Edit, Source, is_docstring

SIMPLE = ast.Assign | ast.Expr | ast.Return | ast.Raise | ast.Import | ast.AugAssign


def transform(project: Project, chance: random.Random) -> Project | None:
    """Join one pair of lines."""

    def apply(path: str, source: Source, pair: tuple[Edit, str]) -> Project | None:
        return with_file(project, path, source.edited([pair[0]]))

    return in_some_module(project, chance, _joints, apply)


def _joints(source: Source) -> list[tuple[Edit, str]]:
    """Return the edits that join two lines with nothing but space between them."""
    found = []
    data = source.text.encode()
    for statement in source.walk(ast.stmt):
        body = source.body_of(statement)
        following = body[body.index(statement) + 1 :][:1]
        if following and isinstance(statement, SIMPLE) and isinstance(following[0], SIMPLE):
            start, end = source.span(statement)[1], source.span(following[0])[0]
            between, joint = data[start:end], "; "
        elif isinstance(statement, ast.If | ast.FunctionDef) and len(statement.body) == 1:
            only = statement.body[0]
            if not isinstance(only, SIMPLE) or is_docstring(only):
                continue
            end = source.span(only)[0]
            start = data.rfind(b":", 0, end) + 1
            between, joint = data[start:end], " "
        else:
            continue
        if not between.strip() and not is_docstring(statement):
            found.append((Edit(start, end, joint), ""))
    return found
