"""Keep a number or a text in a constant of the module."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.imports import add_import, top_imports
from variants.project import Project, with_file
from variants.scopes import fresh
from variants.source import Source, is_docstring
from variants.trial import name_constants

NUMBERS = ("SIZE", "N", "NUM", "VALUE", "WIDTH", "DEFAULT")
TEXTS = ("KIND", "NAME", "LOSS_NAME", "ACTIVATION", "LABEL_NAME")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Name one literal of a function."""

    def places(source: Source) -> list[ast.Constant]:
        asked = name_constants(source)
        return [
            one
            for one in source.walk(ast.Constant)
            if type(one.value) in (int, float, str)
            and source.function_of(one) is not None
            and not isinstance(source.statement_of(one), ast.FunctionDef)
            and not is_docstring(source.statement_of(one))
            and one not in asked
        ]

    def apply(path: str, source: Source, node: ast.Constant) -> Project | None:
        if not top_imports(source) or "\n" in source.segment(node):
            return None
        name = fresh(project, chance, *(TEXTS if isinstance(node.value, str) else NUMBERS))
        line = add_import(source, f"\n{name} = {source.segment(node)}\n")
        return with_file(project, path, source.edited([source.replace(node, name), line]))

    return in_some_module(project, chance, places, apply)
