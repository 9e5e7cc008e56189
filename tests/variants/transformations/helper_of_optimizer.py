"""Make the optimizer in a helper: a function here or elsewhere, or a method."""

from __future__ import annotations

import ast
import random

from variants import extract
from variants.choosing import in_some_module
from variants.project import Project
from variants.scopes import fresh
from variants.source import Source, is_call_of

NAMES = ("make_optimizer", "get_optimizer", "build_optimizer", "create_opt", "_optimizer")
OPTIMIZERS = ("SGD", "RMSprop", "Adam", "wrap_optimizer")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Move the construction of one optimizer."""
    name = fresh(project, chance, *NAMES)
    where = chance.choice(("function", "module", "method"))

    def places(source: Source) -> list[ast.expr]:
        calls = source.walk(ast.Call)
        return [one for one in calls if any(is_call_of(one, name) for name in OPTIMIZERS)]

    def apply(path: str, source: Source, node: ast.expr) -> Project | None:
        if where == "module":
            return extract.into_a_module(project, path, source, node, name, chance)
        if where == "method":
            return extract.into_a_method(project, path, source, node, name, chance)
        return extract.into_this_module(project, path, source, node, name)

    return in_some_module(project, chance, places, apply)
