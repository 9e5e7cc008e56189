"""Import a name under another one: `from x import y as z`, or without: `import numpy`."""

from __future__ import annotations

import ast
import random

from variants.choosing import first_that_applies
from variants.imports import bound_name
from variants.modules import imported_path, is_unused, private_imports
from variants.project import Project, module_paths, with_file
from variants.scopes import fresh, global_occurrences
from variants.source import Source


def transform(project: Project, chance: random.Random) -> Project | None:
    """Change the name that one import binds."""
    places = [
        (path, source, alias)
        for path in module_paths(project)
        for source in [Source(project[path])]
        for alias in private_imports(project, path, source)
        if alias.asname or "." not in alias.name
    ]

    def apply(place: tuple[str, Source, ast.alias]) -> Project | None:
        path, source, alias = place
        uses = global_occurrences(source, bound_name(alias))
        if any(source.in_f_string(one) or isinstance(one.ctx, ast.Store) for one in uses):
            return None
        last = imported_path(source, alias).split(".")[-1]
        name = fresh(project, chance, f"_{last}", f"{last}_", f"Base{last}", f"my_{last}")
        text = f"{alias.name} as {name}"
        if alias.asname and alias.name == last and is_unused(source, last):
            name, text = last, last
        edits = [source.replace(alias, text), *(source.replace(one, name) for one in uses)]
        return with_file(project, path, source.edited(edits))

    return first_that_applies(chance, places, apply)
