"""Remove the annotations of a function, or of every function of a module."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.source import Edit, Source


def transform(project: Project, chance: random.Random) -> Project | None:
    """Remove annotations of parameters and results."""
    every = chance.random() < 0.5

    def places(source: Source) -> list[ast.FunctionDef]:
        return [one for one in source.functions() if _edits(source, one)]

    def apply(path: str, source: Source, function: ast.FunctionDef) -> Project | None:
        functions = places(source) if every else [function]
        edits = [edit for one in functions for edit in _edits(source, one)]
        return with_file(project, path, source.edited(edits))

    return in_some_module(project, chance, places, apply)


def _edits(source: Source, function: ast.FunctionDef) -> list[Edit]:
    edits = []
    for one in function.args.args:
        if one.annotation is not None:
            edits.append(source.replace(one, one.arg))
    if function.returns is not None:
        _, end = source.span(function.returns)
        start = source.text.encode().rfind(b"->", 0, end)
        edits.append(Edit(start - 1, end, ""))
    return edits
