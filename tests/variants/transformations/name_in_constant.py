"""Keep the name of a hyperparameter in a constant of the module."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.imports import add_import, top_imports
from variants.project import Project, with_file
from variants.scopes import fresh
from variants.source import Source
from variants.trial import name_constants


def transform(project: Project, chance: random.Random) -> Project | None:
    """Change one text, wherever the module asks by it."""

    def apply(path: str, source: Source, node: ast.Constant) -> Project | None:
        key = str(node.value)
        if not key.isidentifier() or not top_imports(source):
            return None
        names = (key.upper(), f"{key.upper()}_KEY", f"_{key.upper()}", f"K_{key.upper()}")
        name = fresh(project, chance, *names)
        first = _first_statement(source)
        if any(source.span(one)[0] < source.span(first)[0] for one in name_constants(source)):
            return None
        same = [one for one in name_constants(source) if one.value == key]
        edits = [source.replace(one, name) for one in same]
        edits.append(add_import(source, f'\n{name} = "{key}"\n'))
        return with_file(project, path, source.edited(edits))

    return in_some_module(project, chance, name_constants, apply)


def _first_statement(source: Source) -> ast.stmt:
    """Return the first statement below the imports."""
    body = source.tree.body
    return body[body.index(top_imports(source)[-1]) + 1]
