"""Keep one hyperparameter on the trial in its constructor and read it there."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.constructors import with_constructor_line
from variants.project import Project, with_file
from variants.source import Source
from variants.trial import TRIAL_METHODS, hparam_reads, hparams_of, methods, trial_classes


def transform(project: Project, chance: random.Random) -> Project | None:
    """Replace the reads of one hyperparameter in a method by an attribute."""

    def places(source: Source) -> list[tuple[ast.ClassDef, ast.FunctionDef]]:
        trials = trial_classes(source)
        return [
            (node, one) for node in trials for one in methods(node) if one.name in TRIAL_METHODS
        ]

    def apply(
        path: str, source: Source, place: tuple[ast.ClassDef, ast.FunctionDef]
    ) -> Project | None:
        holder, function = place
        name = hparams_of(project, source, function)
        reads: list[tuple[str, ast.expr]] = []
        if name:
            reads = [(one.slice.value, one) for one in hparam_reads(source, function, name)]  # type: ignore[attr-defined]
        for node in source.walk(ast.Call):
            is_read = ast.unparse(node.func) == "self.context.get_hparam"
            key = node.args[0] if is_read and len(node.args) == 1 else None
            if isinstance(key, ast.Constant) and function in source.ancestors(node):
                reads.append((key.value, node))
        if not reads:
            return None
        key = chance.choice(sorted({key for key, _ in reads}))
        attribute = chance.choice((key, f"_{key}", f"my_{key}"))
        if f"self.{attribute}" in source.text or attribute in {one.name for one in methods(holder)}:
            return None
        value = f'{{0}}["{key}"]' if name else f'{{0}}.get_hparam("{key}")'
        added = with_constructor_line(project, source, holder, f"self.{attribute} = {value}\n")
        if added is None:
            return None
        edits = [source.replace(node, f"self.{attribute}") for one, node in reads if one == key]
        return with_file(project, path, source.edited([*edits, *added]))

    return in_some_module(project, chance, places, apply)
