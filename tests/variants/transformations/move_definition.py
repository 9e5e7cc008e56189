"""Move a function or class of a module into a new module, and import it."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.extract import MODULES
from variants.imports import add_import, import_lines
from variants.project import Project, with_file
from variants.scopes import BUILTINS, bound, fresh
from variants.source import COMPREHENSIONS, ScopeNode, Source
from variants.trial import LOADERS


def transform(project: Project, chance: random.Random) -> Project | None:
    """Move one definition that uses nothing of its module but what that imports."""
    module = fresh(project, chance, *MODULES, "sequences", "losses_and_metrics", "io_utils")

    def places(source: Source) -> list[ast.stmt]:
        kinds = ast.FunctionDef | ast.ClassDef
        return [node for node in source.tree.body if isinstance(node, kinds)]

    def apply(path: str, source: Source, node: ast.stmt) -> Project | None:
        assert isinstance(node, ast.FunctionDef | ast.ClassDef)
        names = [name for name in module_names(source, node) if name != node.name]
        lines = import_lines(source, names)
        if lines is None or node.name == LOADERS or "__file__" in source.lines(node):
            return None
        text = f"{lines}\n\n{source.lines(node)}" if lines else source.lines(node)
        edits = [
            add_import(source, f"from {module} import {node.name}\n"),
            source.replace_lines(node, node, ""),
        ]
        changed = with_file(project, path, source.edited(edits))
        return with_file(changed, f"{module}.py", text)

    return in_some_module(project, chance, places, apply)


def module_names(source: Source, node: ast.AST) -> list[str]:
    """Return the names that a definition may take from its module, in order."""
    inner = {
        name
        for one in ast.walk(node)
        if isinstance(one, (*ScopeNode, *COMPREHENSIONS))
        for name in bound(one)
    }
    names = [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]
    known = bound(source.tree)
    return [
        name
        for name in dict.fromkeys(names)
        if name in known or (name not in BUILTINS and name not in inner)
    ]
