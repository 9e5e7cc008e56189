"""Do a statement on both ways of a branch: `if flag: x = f() else: x = f()`."""

from __future__ import annotations

import ast
import random
import textwrap

from variants.choosing import in_some_module
from variants.flags import flag
from variants.project import Project, with_file
from variants.source import ScopeNode, Source, is_docstring


def transform(project: Project, chance: random.Random) -> Project | None:
    """Wrap one statement of a function in a branch whose ways are equal."""

    def places(source: Source) -> list[ast.stmt]:
        kinds = ast.Assign | ast.Return | ast.Expr
        statements = [one for one in source.walk(ast.stmt) if isinstance(one, kinds)]
        return [one for one in statements if _fits(source, one)]

    def apply(path: str, source: Source, statement: ast.stmt) -> Project | None:
        condition, edits = flag(project, source, statement, chance)
        text = textwrap.indent(source.lines(statement), "    ")
        if isinstance(statement, ast.Return) and chance.random() < 0.5:
            lines = f"if {condition}:\n{text}{source.lines(statement)}"
        else:
            lines = f"if {condition}:\n{text}else:\n{text}"
        edits.append(source.replace_lines(statement, statement, lines))
        return with_file(project, path, source.edited(edits))

    return in_some_module(project, chance, places, apply)


def _fits(source: Source, statement: ast.stmt) -> bool:
    return (
        source.function_of(statement) is not None
        and not isinstance(source.parents[statement], ast.ClassDef)
        and not is_docstring(statement)
        and not any(isinstance(one, ScopeNode) for one in ast.walk(statement))
    )
