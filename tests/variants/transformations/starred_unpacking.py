"""Unpack with a star: `a, b = f()` becomes `a, *rest = f()` and `(b,) = rest`."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.scopes import fresh
from variants.source import Source

NAMES = ("rest", "others", "more", "remaining")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Change how one assignment unpacks its value."""
    name = fresh(project, chance, *NAMES)

    def apply(path: str, source: Source, node: ast.Assign) -> Project | None:
        assert isinstance(node.targets[0], ast.Tuple)
        first, *others = [source.segment(one) for one in node.targets[0].elts]
        text = f"{first}, *{name} = {source.expression(node.value)}\n"
        if len(others) == 1:
            text += chance.choice((f"({others[0]},) = {name}\n", f"{others[0]} = {name}[0]\n"))
        else:
            text += f"{', '.join(others)} = {name}\n"
        return with_file(project, path, source.edited([source.replace_lines(node, node, text)]))

    return in_some_module(project, chance, unpackings, apply)


def unpackings(source: Source) -> list[ast.Assign]:
    """Return the assignments in functions that unpack one value to several names."""
    return [
        node
        for node in source.walk(ast.Assign)
        if isinstance(node.targets[0], ast.Tuple)
        and len(node.targets) == 1
        and len(node.targets[0].elts) > 1
        and all(isinstance(one, ast.Name) for one in node.targets[0].elts)
        and source.function_of(node) is not None
        and not source.segment(node.targets[0]).startswith("(")
    ]
