"""Give keyword arguments by position where that is their place: `compile(optimizer=o)`."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.signatures import parameters_of, signatures
from variants.source import Source


def transform(project: Project, chance: random.Random) -> Project | None:
    """Drop the names of the first keyword arguments of one call."""
    known = signatures(project)

    def places(source: Source) -> list[tuple[ast.Call, int]]:
        return [
            (call, count)
            for call in source.walk(ast.Call)
            for count in [_count(call, parameters_of(source, call, known))]
            if count
        ]

    def apply(path: str, source: Source, place: tuple[ast.Call, int]) -> Project | None:
        call, most = place
        some = call.keywords[: chance.randint(1, most)]
        edits = [source.replace(one, source.expression(one.value)) for one in some]
        return with_file(project, path, source.edited(edits))

    return in_some_module(project, chance, places, apply)


def _count(call: ast.Call, names: tuple[str, ...]) -> int:
    """Return how many keywords follow the positional arguments as the parameters do."""
    count = 0
    for name, keyword in zip(names[len(call.args) :], call.keywords, strict=False):
        if keyword.arg != name:
            break
        count += 1
    return count
