"""Import everything from a module of the project: `from data import *`."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterable

from variants.choosing import first_that_applies
from variants.imports import import_line, top_imports
from variants.project import Project, code_paths, module_name
from variants.scopes import bound
from variants.source import Source
from variants.trial import sources


def transform(project: Project, chance: random.Random) -> Project | None:
    """Replace the names of one import by a star where that hides nothing."""
    parsed = sources(project)
    modules = {module_name(path): path for path in code_paths(project)}
    places = [
        (path, node)
        for path, source in parsed.items()
        for node in top_imports(source)
        if isinstance(node, ast.ImportFrom) and node.module in modules
    ]

    def apply(place: tuple[str, ast.ImportFrom]) -> Project | None:
        path, node = place
        source, origin = parsed[path], parsed[modules[str(node.module)]]
        plain = all(one.asname is None and not one.name.startswith("_") for one in node.names)
        names = {one.name for one in node.names}
        public = _public(origin)
        if path.endswith("__init__.py") and _is_extended(parsed.values()):
            return None  # the package would export a base class too, as a second trial
        if not plain or public is None or _hides(source, origin, public - names, node):
            return None
        line = f"from {node.module} import *\n"
        edited = source.edited([source.replace_lines(node, node, line)])
        return {**project, path: edited}

    return first_that_applies(chance, places, apply)


def _is_extended(found: Iterable[Source]) -> bool:
    """Return whether a trial class of the project extends another one of it."""
    classes = [node for source in found for node in source.walk(ast.ClassDef)]
    names = {node.name for node in classes}
    bases = {ast.unparse(base).split(".")[-1] for node in classes for base in node.bases}
    return any("Mixin" not in name for name in names & bases)


def _public(source: Source) -> set[str] | None:
    """Return the names that a star imports; None where the module has stars of its own."""
    if any(alias.name == "*" for node in top_imports(source) for alias in node.names):
        return None
    return {name for name in bound(source.tree) if not name.startswith("_")}


def _hides(source: Source, origin: Source, public: set[str], node: ast.ImportFrom) -> bool:
    """Return whether a star would bind a name that means something else in a file."""
    if any(alias.name == "*" for one in top_imports(source) for alias in one.names):
        return True
    own = bound(source.tree) | {
        one.id for one in ast.walk(source.tree) if isinstance(one, ast.Name)
    }
    for name in public & own:
        line = import_line(source, name)
        if line is None or line != import_line(origin, name):
            return True
    return False
