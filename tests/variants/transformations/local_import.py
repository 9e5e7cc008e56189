"""Import a name within the only function that uses it."""

from __future__ import annotations

import ast
import random

from variants.choosing import first_that_applies
from variants.imports import bound_name, import_text, without_alias
from variants.modules import private_imports
from variants.project import Project, module_paths, with_file
from variants.scopes import bound, global_occurrences
from variants.source import Source, is_docstring


def transform(project: Project, chance: random.Random) -> Project | None:
    """Move one import from the top of a module into a function or method."""
    places = [
        (path, source, alias)
        for path in module_paths(project)
        for source in [Source(project[path])]
        for alias in private_imports(project, path, source)
    ]

    def apply(place: tuple[str, Source, ast.alias]) -> Project | None:
        path, source, alias = place
        node = source.parents[alias]
        assert isinstance(node, ast.Import | ast.ImportFrom)
        name = bound_name(alias)
        uses = global_occurrences(source, name)
        functions = {calling_function(source, one) for one in uses}
        if len(functions) != 1 or name in ("pedl",):
            return None
        (function,) = functions
        if function is None or name in bound(function):
            return None
        body = [one for one in function.body if not is_docstring(one)]
        line = import_text(node, [alias])
        edits = [without_alias(source, node, alias), source.before(body[0], line)]
        return with_file(project, path, source.edited(edits))

    return first_that_applies(chance, places, apply)


def calling_function(source: Source, use: ast.Name) -> ast.FunctionDef | None:
    """Return the function in whose body a name is read."""
    function = source.function_of(use)
    statements = [one for one in source.ancestors(use) if isinstance(one, ast.stmt)]
    in_body = function is not None and any(one in function.body for one in statements)
    return function if in_body and isinstance(function, ast.FunctionDef) else None
