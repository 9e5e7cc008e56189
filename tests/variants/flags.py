"""Conditions that no run of an example makes true, or false."""

from __future__ import annotations

import ast
import random

from variants.imports import add_import
from variants.project import Project
from variants.scopes import fresh
from variants.source import Edit, Source
from variants.trial import experiment_config_of, hparams_of

KEYS = ("debug", "verbose", "use_new_code", "fast", "legacy_mode", "small")
CONSTANTS = ("DEBUG", "VERBOSE", "USE_CACHE", "FAST", "IS_LOCAL")


def flag(
    project: Project, source: Source, statement: ast.stmt, chance: random.Random
) -> tuple[str, list[Edit]]:
    """Return a condition that can stand at a statement, and the edits that it needs.

    Both ways of a branch must compute the same.
    """
    function = source.function_of(statement)
    assert isinstance(function, ast.FunctionDef)
    holders = [hparams_of(project, source, function), experiment_config_of(source, function)]
    names = [one for one in holders if one]
    if names and chance.random() < 0.6:
        value = chance.choice(("False", "True", "None"))
        return f'{chance.choice(names)}.get("{chance.choice(KEYS)}", {value})', []
    name = fresh(project, chance, *CONSTANTS)
    line = f"{name} = {chance.choice(('False', 'True'))}\n"
    is_import = isinstance(source.tree.body[0], ast.Import | ast.ImportFrom)
    edit = add_import(source, f"\n{line}" if is_import else line)
    return name, [edit]
