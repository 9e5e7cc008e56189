"""Rename a trial class or a Sequence, in the config too."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project
from variants.references import references, with_renamed
from variants.scopes import fresh
from variants.source import Source
from variants.trial import trial_classes

TRIALS = ("MyTrial", "Experiment", "Net", "Model1", "MyKerasTrial", "TrialImpl")
OTHERS = ("DataSeq", "Batches", "MySequence", "Gen", "Loader")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Rename one class, but no Keras model or layer, whose name is that of its weights."""

    def places(source: Source) -> list[ast.ClassDef]:
        trials = trial_classes(source)
        return [
            one
            for one in source.tree.body
            if isinstance(one, ast.ClassDef)
            and (one in trials or any("Sequence" in ast.unparse(base) for base in one.bases))
        ]

    def apply(path: str, source: Source, node: ast.ClassDef) -> Project | None:
        names = TRIALS if node in trial_classes(source) else OTHERS
        found = references(project, path, node.name)
        if found is None:
            return None
        return with_renamed(project, path, node, fresh(project, chance, *names), found)

    return in_some_module(project, chance, places, apply)
