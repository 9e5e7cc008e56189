"""Do some consecutive statements of a function in a helper."""

from __future__ import annotations

import ast
import random

from variants import extract
from variants.choosing import in_some_module
from variants.project import Project
from variants.scopes import fresh
from variants.source import Source

NAMES = ("_prepare", "do_setup", "first_steps", "_load_all", "configure_things", "_steps")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Move one to four statements into a new function or method."""
    name = fresh(project, chance, *NAMES)

    def places(source: Source) -> list[list[ast.stmt]]:
        return [
            function.body[start : start + count]
            for function in source.functions()
            for count in (1, 2, 3, 4)
            for start in range(len(function.body) - count + 1)
        ]

    def apply(path: str, source: Source, statements: list[ast.stmt]) -> Project | None:
        return extract.statements_into_helper(project, path, source, statements, name)

    return in_some_module(project, chance, places, apply)
