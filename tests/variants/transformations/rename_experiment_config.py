"""Rename the parameter that holds the experiment config."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.scopes import fresh, occurrences
from variants.source import Source
from variants.transformations.rename_local import rename
from variants.trial import experiment_config_of

NAMES = ("exp_config", "experiment", "conf", "exp_conf", "experiment_conf", "c", "settings")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Rename it in one function."""
    name = fresh(project, chance, *NAMES)

    def places(source: Source) -> list[ast.FunctionDef]:
        return [one for one in source.functions() if experiment_config_of(source, one)]

    def apply(path: str, source: Source, function: ast.FunctionDef) -> Project | None:
        old = experiment_config_of(source, function)
        found = occurrences(source, function, old) if old else None
        return with_file(project, path, rename(source, found, name)) if found else None

    return in_some_module(project, chance, places, apply)
