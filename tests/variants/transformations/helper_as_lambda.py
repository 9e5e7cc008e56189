"""Compute an expression by a lambda that is bound to a name."""

from __future__ import annotations

import ast
import random

from variants import extract
from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.scopes import fresh
from variants.source import Source
from variants.transformations.name_subexpression import can_precede

NAMES = ("make_one", "get_one", "build_one", "factory", "fn", "apply_to")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Bind a lambda before the statement, or at the top of the module, and call it."""
    name = fresh(project, chance, *NAMES)
    is_local = chance.random() < 0.5

    def apply(path: str, source: Source, node: ast.expr) -> Project | None:
        helper = extract.helper_of(source, node)
        statement = source.statement_of(node)
        if helper is None or not can_precede(source, statement):
            return None
        line = f"{name} = lambda {', '.join(helper.parameters)}: {helper.value}\n"
        line = line.replace("lambda :", "lambda:")
        place = statement if is_local else source.top_level(node)
        before = source.before(place, line if is_local else f"{line}\n\n")
        edits = [before, source.replace(node, helper.call(name))]
        return with_file(project, path, source.edited(edits))

    return in_some_module(project, chance, extract.candidates, apply)
