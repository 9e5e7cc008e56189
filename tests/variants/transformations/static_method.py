"""Make a function of the module a static method of the trial that calls it."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.references import references
from variants.source import Source
from variants.transformations.local_import import calling_function
from variants.trial import methods, trial_classes


def transform(project: Project, chance: random.Random) -> Project | None:
    """Move one function that only the methods of one trial class call."""

    def places(source: Source) -> list[tuple[ast.FunctionDef, ast.ClassDef]]:
        functions = [one for one in source.tree.body if isinstance(one, ast.FunctionDef)]
        return [(one, holder) for one in functions for holder in trial_classes(source)]

    def apply(
        path: str, source: Source, place: tuple[ast.FunctionDef, ast.ClassDef]
    ) -> Project | None:
        function, holder = place
        found = references(project, path, function.name)
        if found is None or not found.uses or found.imports or function.decorator_list:
            return None
        if any(one.name == function.name for one in methods(holder)):
            return None
        callers = [calling_function(source, one) for one in _uses(source, function.name)]
        is_own = all(one is not None and one in methods(holder) for one in callers)
        if (
            not all(one.is_called for one in found.uses)
            or not is_own
            or len(callers) != len(found.uses)
        ):
            return None
        text = f"@staticmethod\n{source.lines(function)}\n"
        edits = [
            source.replace(one, f"{_owner(source, one, holder, chance)}.{function.name}")
            for one in _uses(source, function.name)
        ]
        edits.append(source.replace_lines(function, function, ""))
        edits.append(source.before(methods(holder)[0], text))
        return with_file(project, path, source.edited(edits))

    return in_some_module(project, chance, places, apply)


def _uses(source: Source, name: str) -> list[ast.Name]:
    return [one for one in source.walk(ast.Name) if one.id == name]


def _owner(source: Source, use: ast.Name, holder: ast.ClassDef, chance: random.Random) -> str:
    function = source.function_of(use)
    assert isinstance(function, ast.FunctionDef)
    has_self = [one.arg for one in function.args.args][:1] == ["self"]
    return "self" if has_self and chance.random() < 0.7 else holder.name
