"""Annotate a parameter, a result or a name, or add a type comment."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.imports import add_import
from variants.project import Project, with_file
from variants.source import Edit, Source

TYPES = ("Any", "typing.Any", '"Any"', "object")
HPARAMS = ("Dict[str, Any]", "dict", '"Dict[str, Any]"', "Any", "typing.Dict[str, typing.Any]")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Add one annotation that evaluates to something harmless."""

    def places(source: Source) -> list[ast.arg | ast.Assign]:
        found: list[ast.arg | ast.Assign] = [
            one
            for function in source.functions()
            for one in function.args.args
            if one.annotation is None and one.arg not in ("self", "cls")
        ]
        for node in source.walk(ast.Assign):
            is_local = source.function_of(node) is not None
            single = len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
            if is_local and single and isinstance(source.parents[node], ast.FunctionDef):
                found.append(node)
        return found

    def apply(path: str, source: Source, node: ast.arg | ast.Assign) -> Project | None:
        if isinstance(node, ast.arg):
            text = chance.choice(HPARAMS if node.arg in ("hparams", "experiment_config") else TYPES)
            start, end = source.span(node)
            function = source.parents[source.parents[node]]
            has_default = isinstance(function, ast.FunctionDef) and function.args.defaults
            if has_default:
                return None
            edits = [Edit(start, end, f"{node.arg}: {text}")]
        else:
            text = chance.choice((*TYPES, "# type"))
            _, end = source.span(node)
            target = source.segment(node.targets[0])
            if text == "# type":
                edits = [Edit(end, end, "  # type: Any")]
                text = "Any"
            else:
                edits = [source.replace(node.targets[0], f"{target}: {text}")]
        return with_file(project, path, source.edited([*edits, *_imports(source, text)]))

    return in_some_module(project, chance, places, apply)


def _imports(source: Source, text: str) -> list[Edit]:
    """Return the edits that import the names of an annotation."""
    if "typing." in text:
        return [] if "import typing\n" in source.text else [_added(source, "import typing\n")]
    names = [name for name in ("Any", "Dict") if name in text]
    known = {
        alias.asname or alias.name
        for node in source.walk(ast.ImportFrom)
        for alias in node.names
        if source.function_of(node) is None
    }
    missing = [name for name in names if name not in known]
    return [_added(source, f"from typing import {', '.join(missing)}\n")] if missing else []


def _added(source: Source, line: str) -> Edit:
    return add_import(source, line)
