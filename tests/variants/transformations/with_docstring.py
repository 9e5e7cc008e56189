"""Document a function, in one of the styles that people use."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.source import Source, is_docstring

TEXTS = (
    '"""Build and return what is needed."""\n',
    '"""\nSee the documentation of pedl.\n\n:param hparams: the hyperparameters\n"""\n',
    "'''Uses hparams[\"units\"].'''\n",
    '"""TODO: clean this up.\n\nArgs:\n    hparams: from the config\n"""\n',
)


def transform(project: Project, chance: random.Random) -> Project | None:
    """Add one docstring."""

    def places(source: Source) -> list[ast.FunctionDef]:
        return [
            one
            for one in source.functions()
            if not is_docstring(one.body[0]) and one.body[0].lineno > one.lineno
        ]

    def apply(path: str, source: Source, function: ast.FunctionDef) -> Project | None:
        edit = source.before(function.body[0], chance.choice(TEXTS))
        return with_file(project, path, source.edited([edit]))

    return in_some_module(project, chance, places, apply)
