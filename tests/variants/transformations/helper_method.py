"""Compute an expression in a method, static method or class method."""

from __future__ import annotations

import ast
import random

from variants import extract
from variants.choosing import in_some_module
from variants.project import Project
from variants.scopes import fresh
from variants.source import Source
from variants.trial import trial_classes

NAMES = ("_make", "_get", "_create", "_compute", "make_something", "_inner")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Move one expression of a trial's method into another method."""
    name = fresh(project, chance, *NAMES)

    def places(source: Source) -> list[ast.expr]:
        trials = trial_classes(source)
        calls = [node for node in source.walk(ast.Call) if source.function_of(node) is not None]
        return [node for node in calls if source.class_of(source.function_of(node)) in trials]

    def apply(path: str, source: Source, node: ast.expr) -> Project | None:
        return extract.into_a_method(project, path, source, node, name, chance)

    return in_some_module(project, chance, places, apply)
