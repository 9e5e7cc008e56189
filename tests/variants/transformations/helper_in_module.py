"""Compute an expression in a function of a new module."""

from __future__ import annotations

import ast
import random

from variants import extract
from variants.choosing import in_some_module
from variants.project import Project
from variants.scopes import fresh
from variants.source import Source

NAMES = ("make_part", "build_part", "get_part", "compute_it", "helper", "create_it")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Move one call that uses nothing of its module but what that imports."""
    name = fresh(project, chance, *NAMES)

    def apply(path: str, source: Source, node: ast.expr) -> Project | None:
        return extract.into_a_module(project, path, source, node, name, chance)

    return in_some_module(project, chance, extract.candidates, apply)
