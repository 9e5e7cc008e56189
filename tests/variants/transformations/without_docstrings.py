"""Remove the docstrings of a module."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.source import Source, is_docstring


def transform(project: Project, chance: random.Random) -> Project | None:
    """Remove all docstrings of one module."""

    def apply(path: str, source: Source, first: ast.stmt) -> Project | None:
        edits = []
        for node in _docstrings(source):
            is_alone = len(source.body_of(node)) == 1
            edits.append(source.replace_lines(node, node, "pass\n" if is_alone else ""))
        return with_file(project, path, source.edited(edits))

    return in_some_module(project, chance, _docstrings, apply)


def _docstrings(source: Source) -> list[ast.Expr]:
    return [node for node in source.walk(ast.Expr) if is_docstring(node)]
