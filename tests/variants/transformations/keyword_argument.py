"""Name the last positional arguments of a call: `Dense(8)` becomes `Dense(units=8)`."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.signatures import parameters_of, signatures
from variants.source import Source


def transform(project: Project, chance: random.Random) -> Project | None:
    """Name arguments of one call whose signature is known."""
    known = signatures(project)

    def places(source: Source) -> list[ast.Call]:
        calls = source.walk(ast.Call)
        return [one for one in calls if 0 < len(one.args) <= len(parameters_of(source, one, known))]

    def apply(path: str, source: Source, node: ast.Call) -> Project | None:
        names = parameters_of(source, node, known)
        count = chance.randint(1, len(node.args))
        pairs = list(zip(names, node.args, strict=False))[-count:]
        if any(isinstance(value, ast.GeneratorExp) for _, value in pairs):
            return None
        edits = [source.replace(v, f"{name}={source.expression(v)}") for name, v in pairs]
        return with_file(project, path, source.edited(edits))

    return in_some_module(project, chance, places, apply)
