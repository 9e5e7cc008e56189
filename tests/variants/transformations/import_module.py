"""Import a module instead of a name: `from a.b import c` becomes `import a.b as k`, `k.c`."""

from __future__ import annotations

import ast
import random

from variants.choosing import first_that_applies
from variants.imports import ImportNode, bound_name, without_alias
from variants.modules import KNOWN_MODULES, is_unused, private_imports
from variants.project import Project, module_name, module_paths, with_file
from variants.scopes import fresh, global_occurrences
from variants.source import Source


def transform(project: Project, chance: random.Random) -> Project | None:
    """Change one imported name to an attribute of its module."""
    modules = KNOWN_MODULES | {module_name(path) for path in module_paths(project)}
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
        module = str(node.module)
        if module not in modules or f"{module}.{alias.name}" in modules:
            return None
        uses = global_occurrences(source, bound_name(alias))
        if any(source.in_f_string(one) or isinstance(one.ctx, ast.Store) for one in uses):
            return None
        last = module.split(".")[-1]
        short = fresh(project, chance, last[0], last[:2], f"{last}_module", f"{last}lib")
        line, owner = f"import {module} as {short}\n", short
        if is_unused(source, module.split(".")[0]) and chance.random() < 0.5:
            line, owner = f"import {module}\n", module
        edits = [source.replace(one, f"{owner}.{alias.name}") for one in uses]
        statement: ImportNode = node
        edits.append(without_alias(source, statement, alias, line))
        return with_file(project, path, source.edited(edits)) if uses else None

    return first_that_applies(chance, places, apply)
