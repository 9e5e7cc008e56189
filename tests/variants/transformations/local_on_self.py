"""Bind an attribute of the trial instead of a local name: `self.opt = SGD()`."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.scopes import bound, occurrences, parameters
from variants.source import Source
from variants.trial import methods, trial_classes


def transform(project: Project, chance: random.Random) -> Project | None:
    """Change every place of one local name of a method."""

    def places(source: Source) -> list[tuple[ast.ClassDef, ast.FunctionDef, str]]:
        return [
            (holder, function, name)
            for holder in trial_classes(source)
            for function in methods(holder)
            for name in sorted(bound(function) - {one.arg for one in parameters(function)})
        ]

    def apply(
        path: str, source: Source, place: tuple[ast.ClassDef, ast.FunctionDef, str]
    ) -> Project | None:
        holder, function, name = place
        attribute = chance.choice((name, f"_{name}", f"my_{name}"))
        found = occurrences(source, function, name)
        is_taken = f"self.{attribute}" in source.text or attribute in {
            one.name for one in methods(holder)
        }
        is_method = function.args.args[:1] and function.args.args[0].arg == "self"
        if not found or is_taken or not is_method or attribute in ("context", "hparams"):
            return None
        edits = [source.replace(node, f"self.{attribute}") for node in found]
        return with_file(project, path, source.edited(edits))

    return in_some_module(project, chance, places, apply)
