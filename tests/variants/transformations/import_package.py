"""Import the module of a name: `from a.b import c` becomes `from a import b` and `b.c`."""

from __future__ import annotations

import ast
import random

from variants.choosing import first_that_applies
from variants.imports import bound_name, without_alias
from variants.modules import KNOWN_MODULES, is_unused, private_imports
from variants.project import Project, module_paths, with_file
from variants.scopes import global_occurrences
from variants.source import Source


def transform(project: Project, chance: random.Random) -> Project | None:
    """Change one imported name to an attribute of its module."""
    places = [
        (path, source, alias)
        for path in module_paths(project)
        for source in [Source(project[path])]
        for alias in private_imports(project, path, source)
        if isinstance(source.parents[alias], ast.ImportFrom)
    ]

    def apply(place: tuple[str, Source, ast.alias]) -> Project | None:
        path, source, alias = place
        node = source.parents[alias]
        assert isinstance(node, ast.ImportFrom)
        package, _, last = str(node.module).rpartition(".")
        name = chance.choice((last, f"{last}_lib"))
        if not package or str(node.module) not in KNOWN_MODULES or not is_unused(source, name):
            return None
        if f"{node.module}.{alias.name}" in KNOWN_MODULES:
            return None
        uses = global_occurrences(source, bound_name(alias))
        if any(source.in_f_string(one) or isinstance(one.ctx, ast.Store) for one in uses):
            return None
        edits = [source.replace(one, f"{name}.{alias.name}") for one in uses]
        as_ = f" as {name}" if name != last else ""
        line = f"from {package} import {last}{as_}\n"
        edits.append(without_alias(source, node, alias, line))
        return with_file(project, path, source.edited(edits)) if uses else None

    return first_that_applies(chance, places, apply)
