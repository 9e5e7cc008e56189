"""Choose between two equal expressions: `x = f() if flag else f()`."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.flags import flag
from variants.project import Project, with_file
from variants.source import ScopeNode, Source


def transform(project: Project, chance: random.Random) -> Project | None:
    """Write one call as a conditional expression, in parentheses."""

    def places(source: Source) -> list[ast.Call]:
        calls = [one for one in source.walk(ast.Call) if source.function_of(one) is not None]
        return [one for one in calls if _fits(source, one)]

    def apply(path: str, source: Source, node: ast.Call) -> Project | None:
        condition, edits = flag(project, source, source.statement_of(node), chance)
        text = source.expression(node)
        edits.append(source.replace(node, f"({text} if {condition} else {text})"))
        return with_file(project, path, source.edited(edits))

    return in_some_module(project, chance, places, apply)


def _fits(source: Source, node: ast.Call) -> bool:
    statement = source.statement_of(node)
    is_code = not isinstance(statement, ast.FunctionDef | ast.ClassDef)
    nested = any(isinstance(one, ScopeNode) for one in ast.walk(node))
    short = "\n" not in source.segment(node)
    return is_code and short and not nested and not isinstance(statement, ast.With)
