"""Rename a local variable or a parameter that no call names."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.scopes import bound, fresh, occurrences
from variants.source import Edit, Source
from variants.trial import sources

NAMES = ("x", "tmp", "val", "res", "obj", "item", "cur", "current", "data_", "m", "thing", "inner")

#: Names that callers outside the project use.
KEPT = frozenset({"self", "cls", "training", "y_true", "y_pred", "kwargs", "args"})


def transform(project: Project, chance: random.Random) -> Project | None:
    """Rename one local name of one function."""
    keywords = {
        one.arg
        for source in sources(project).values()
        for one in source.walk(ast.keyword)
        if one.arg
    }
    name = fresh(project, chance, *NAMES)

    def places(source: Source) -> list[tuple[ast.FunctionDef, str]]:
        return [
            (function, old)
            for function in source.functions()
            for old in sorted(bound(function) - keywords - KEPT)
        ]

    def apply(path: str, source: Source, place: tuple[ast.FunctionDef, str]) -> Project | None:
        found = occurrences(source, *place)
        if found is None:
            return None
        return with_file(project, path, rename(source, found, name))

    return in_some_module(project, chance, places, apply)


def rename(source: Source, nodes: list[ast.AST], name: str) -> str:
    """Return the text with another name at some places."""
    edits = []
    for node in nodes:
        start, end = source.span(node)
        if isinstance(node, ast.arg):
            end = start + len(node.arg.encode())
        edits.append(Edit(start, end, name))
    return source.edited(edits)
