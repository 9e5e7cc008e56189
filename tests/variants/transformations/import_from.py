"""Import a name from its module: `np.arange` becomes `from numpy import arange`."""

from __future__ import annotations

import ast
import random

from variants.choosing import first_that_applies
from variants.imports import add_import, bound_name
from variants.modules import KNOWN_MODULES, imported_path, is_unused, private_imports
from variants.project import Project, module_paths, with_file
from variants.scopes import is_local
from variants.source import Source


def transform(project: Project, chance: random.Random) -> Project | None:
    """Import one attribute of a module by its name, wherever a file uses it."""
    places = []
    for path in module_paths(project):
        source = Source(project[path])
        roots = {
            bound_name(alias): _root(source, alias)
            for alias in private_imports(project, path, source)
        }
        for node in source.walk(ast.Attribute):
            parts = ast.unparse(node.value).split(".")
            dotted = ".".join([roots.get(parts[0]) or "?", *parts[1:]])
            is_text = source.segment(node.value) == ".".join(parts)
            if dotted in KNOWN_MODULES and is_text and isinstance(node.ctx, ast.Load):
                places.append((path, source, node, dotted))

    def apply(place: tuple[str, Source, ast.Attribute, str]) -> Project | None:
        path, source, node, module = place
        if f"{module}.{node.attr}" in KNOWN_MODULES or not is_unused(source, node.attr):
            return None
        text = source.segment(node)
        same = [one for one in source.walk(ast.Attribute) if source.segment(one) == text]
        same = [one for one in same if not _is_rebound(source, one)]
        edits = [source.replace(one, node.attr) for one in same]
        edits.append(add_import(source, f"from {module} import {node.attr}\n"))
        return with_file(project, path, source.edited(edits))

    return first_that_applies(chance, places, apply)


def _root(source: Source, alias: ast.alias) -> str:
    """Return the module that the first part of a dotted name means."""
    path = imported_path(source, alias)
    if isinstance(source.parents[alias], ast.Import) and not alias.asname:
        return path.split(".")[0]
    return path


def _is_rebound(source: Source, node: ast.Attribute) -> bool:
    first = next(one for one in ast.walk(node) if isinstance(one, ast.Name))
    return is_local(source, first)
