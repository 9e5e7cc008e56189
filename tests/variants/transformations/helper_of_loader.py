"""Make a data loader in a helper, here or in another module."""

from __future__ import annotations

import ast
import random

from variants import extract
from variants.choosing import in_some_module
from variants.project import Project
from variants.scopes import fresh
from variants.source import Source, is_call_of

NAMES = ("make_loader", "get_loader", "build_dataset", "to_sequence", "create_loader", "wrap")
LOADERS = ("KerasDataAdapter", "InMemorySequence", "ArrayBatchLoader", "wrap_dataset", "batch")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Move the construction of one loader."""
    name = fresh(project, chance, *NAMES)
    in_module = chance.random() < 0.5

    def places(source: Source) -> list[ast.expr]:
        own = [
            one.name
            for one in source.walk(ast.ClassDef)
            if any("Sequence" in ast.unparse(base) for base in one.bases)
        ]
        calls = source.walk(ast.Call)
        return [one for one in calls if any(is_call_of(one, name) for name in (*own, *LOADERS))]

    def apply(path: str, source: Source, node: ast.expr) -> Project | None:
        if in_module:
            return extract.into_a_module(project, path, source, node, name, chance)
        return extract.into_this_module(project, path, source, node, name)

    return in_some_module(project, chance, places, apply)
