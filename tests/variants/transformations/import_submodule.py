"""Import a submodule by its path: `from a import b` becomes `import a.b as c`."""

from __future__ import annotations

import ast
import random

from variants.choosing import first_that_applies
from variants.imports import bound_name, without_alias
from variants.modules import KNOWN_MODULES, imported_path, private_imports
from variants.project import Project, module_paths, with_file
from variants.scopes import fresh, global_occurrences
from variants.source import Source


def transform(project: Project, chance: random.Random) -> Project | None:
    """Change how one submodule is imported."""
    places = [
        (path, source, alias)
        for path in module_paths(project)
        for source in [Source(project[path])]
        for alias in private_imports(project, path, source)
        if isinstance(source.parents[alias], ast.ImportFrom)
        and imported_path(source, alias) in KNOWN_MODULES
    ]

    def apply(place: tuple[str, Source, ast.alias]) -> Project | None:
        path, source, alias = place
        node = source.parents[alias]
        assert isinstance(node, ast.ImportFrom)
        uses = global_occurrences(source, bound_name(alias))
        if any(source.in_f_string(one) or isinstance(one.ctx, ast.Store) for one in uses):
            return None
        name = fresh(project, chance, f"{alias.name[0]}", f"{alias.name}_module", f"k{alias.name}")
        line = f"import {imported_path(source, alias)} as {name}\n"
        edits = [source.replace(one, name) for one in uses]
        edits.append(without_alias(source, node, alias, line))
        return with_file(project, path, source.edited(edits))

    return first_that_applies(chance, places, apply)
