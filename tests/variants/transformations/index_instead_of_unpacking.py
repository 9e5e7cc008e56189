"""Take the members of a value one by one: `a, b = f()` becomes `pair = f()`, `a = pair[0]`, ..."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.scopes import fresh
from variants.source import Source
from variants.transformations.starred_unpacking import unpackings

NAMES = ("pair", "both", "loaded", "split", "returned")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Change one assignment that unpacks a tuple."""
    name = fresh(project, chance, *NAMES)

    def apply(path: str, source: Source, node: ast.Assign) -> Project | None:
        assert isinstance(node.targets[0], ast.Tuple)
        lines = [f"{name} = {source.expression(node.value)}\n"]
        targets = [source.segment(one) for one in node.targets[0].elts]
        lines += [f"{target} = {name}[{number}]\n" for number, target in enumerate(targets)]
        text = "".join(lines)
        return with_file(project, path, source.edited([source.replace_lines(node, node, text)]))

    return in_some_module(project, chance, unpackings, apply)
