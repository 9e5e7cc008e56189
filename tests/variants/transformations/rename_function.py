"""Rename a function of the project that is only called, never handed on.

The name of a metric is that of its function, so functions that are values keep theirs.
"""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project
from variants.references import is_referenced_as_text, references, with_renamed
from variants.scopes import fresh
from variants.source import Source

NAMES = ("get_it", "prepare", "setup", "do_load", "create", "build", "fetch_data", "make")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Rename one function of a module, where it is defined, imported and called."""
    name = fresh(project, chance, *NAMES)

    def places(source: Source) -> list[ast.FunctionDef]:
        return [one for one in source.tree.body if isinstance(one, ast.FunctionDef)]

    def apply(path: str, source: Source, function: ast.FunctionDef) -> Project | None:
        found = references(project, path, function.name)
        if found is None or is_referenced_as_text(project, path, function.name):
            return None
        exports = [one for one in found.imports if one[0].endswith("__init__.py")]
        others = [one for one in found.imports if one not in exports]
        is_handed_on = any(alias.asname for _, alias in others)
        is_called = all(one.is_called for one in found.uses)
        if is_handed_on or not is_called or not (found.uses or exports):
            return None
        return with_renamed(project, path, function, name, found)

    return in_some_module(project, chance, places, apply)
