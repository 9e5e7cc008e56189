"""Compute an expression in a function of the same module."""

from __future__ import annotations

import ast
import random

from variants import extract
from variants.choosing import in_some_module
from variants.project import Project
from variants.scopes import fresh
from variants.source import Source

NAMES = ("make_it", "_build", "get_value", "compute", "_helper", "do_it", "wrapped")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Move one call into a new function that takes what it needs."""
    name = fresh(project, chance, *NAMES)

    def apply(path: str, source: Source, node: ast.expr) -> Project | None:
        return extract.into_this_module(project, path, source, node, name)

    return in_some_module(project, chance, extract.candidates, apply)
