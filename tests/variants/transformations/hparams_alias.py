"""Bind another name to the hyperparameters or the config: `params = hparams`, `dict(hparams)`."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.scopes import fresh, occurrences
from variants.source import Source, is_docstring
from variants.trial import mappings_of

NAMES = ("hp_", "parameters_", "my_hparams", "cfg_", "opts_", "values_")
FORMS = ("{}", "dict({})", "{}.copy()")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Bind the name first in one function and use it throughout."""
    name = fresh(project, chance, *NAMES)

    def places(source: Source) -> list[tuple[ast.FunctionDef, str]]:
        return [
            (function, old)
            for function in source.functions()
            for old in mappings_of(project, source, function)
        ]

    def apply(path: str, source: Source, place: tuple[ast.FunctionDef, str]) -> Project | None:
        function, old = place
        found = occurrences(source, function, old)
        body = [one for one in function.body if not is_docstring(one)]
        if not found or body[0].lineno == function.lineno:
            return None
        uses = [one for one in found if isinstance(one, ast.Name)]
        edits = [source.replace(one, name) for one in uses]
        edits.append(source.before(body[0], f"{name} = {chance.choice(FORMS).format(old)}\n"))
        return with_file(project, path, source.edited(edits)) if uses else None

    return in_some_module(project, chance, places, apply)
