"""Decorate a function with one that does nothing but call it."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.imports import add_import, top_imports
from variants.project import Project, with_file
from variants.scopes import fresh
from variants.source import Source
from variants.trial import LOADERS, methods, trial_classes

NAMES = ("logged", "timed", "traced", "checked", "passthrough")
PLAIN = """\
def {n}(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper
"""
NAMED = """\
def {n}(function):
    @functools.wraps(function)
    def inner(self, *arguments):
        result = function(self, *arguments)
        return result

    return inner
"""
WITH_OPTIONS = """\
def {n}(label):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    return decorate
"""


def transform(project: Project, chance: random.Random) -> Project | None:
    """Decorate one method of a trial, or the function that makes the loaders."""
    name = fresh(project, chance, *NAMES)
    module = fresh(project, chance, "decorators", "wrappers") if chance.random() < 0.3 else None

    def places(source: Source) -> list[ast.FunctionDef]:
        found = [one for node in trial_classes(source) for one in methods(node)]
        found = [one for one in found if not one.decorator_list]
        functions = [one for one in source.tree.body if isinstance(one, ast.FunctionDef)]
        return found + [one for one in functions if one.name == LOADERS]

    def apply(path: str, source: Source, function: ast.FunctionDef) -> Project | None:
        form = chance.choice((PLAIN, NAMED, WITH_OPTIONS))
        if source.class_of(function) is None:
            form = PLAIN
        line = f'@{name}("{function.name}")\n' if form is WITH_OPTIONS else f"@{name}\n"
        edits = [source.before(function, line)]
        definition = form.format(n=name)
        if module is not None:
            edits.append(add_import(source, f"from {module} import {name}\n"))
            changed = with_file(project, path, source.edited(edits))
            return with_file(changed, f"{module}.py", f"import functools\n\n\n{definition}")
        if not top_imports(source):
            return None
        edits.append(source.before(source.top_level(function), f"{definition}\n\n"))
        if "import functools\n" not in source.text:
            edits.append(source.before(_first_import(source), "import functools\n"))
        return with_file(project, path, source.edited(edits))

    return in_some_module(project, chance, places, apply)


def _first_import(source: Source) -> ast.stmt:
    imports = top_imports(source)
    future = [one for one in imports if getattr(one, "module", "") == "__future__"]
    return imports[len(future)]
