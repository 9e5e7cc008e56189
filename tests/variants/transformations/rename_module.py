"""Rename a module of the project, where it is imported and in the config."""

from __future__ import annotations

import ast
import random
import re

from variants.choosing import first_that_applies
from variants.project import Project, config_path, module_name, module_paths
from variants.scopes import fresh, global_occurrences
from variants.source import Edit, Source
from variants.trial import sources

NAMES = ("input_pipeline", "loaders", "trial_def", "my_model", "dataset_utils", "training", "main")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Rename one module that is imported by its name, without a package."""
    name = fresh(project, chance, *NAMES)

    def apply(path: str) -> Project | None:
        old = module_name(path)
        changed = {}
        for other, text in project.items():
            changed[f"{name}.py" if other == path else other] = text
        for other, source in sources(project).items():
            edits = _edits(source, old, name)
            if edits is None:
                return None
            changed[f"{name}.py" if other == path else other] = source.edited(edits)
        config = config_path(project)
        text = re.sub(rf"(?<![\w.]){old}(?=:\w)", name, changed[config])
        changed[config] = re.sub(rf"(?<=script: ){old}\.py", f"{name}.py", text)
        return changed

    return first_that_applies(chance, module_paths(project), apply)


def _edits(source: Source, old: str, name: str) -> list[Edit] | None:
    edits = []
    for node in source.walk(ast.ImportFrom):
        if node.module == old:
            start, end = source.span(node)
            text = source.segment(node).replace(f"from {old}", f"from {name}", 1)
            edits.append(Edit(start, end, text))
    for node in source.walk(ast.Import):
        for alias in node.names:
            if alias.name != old:
                continue
            as_ = f" as {alias.asname}" if alias.asname else ""
            edits.append(source.replace(alias, name + as_))
            if alias.asname is None:
                if source.function_of(node) is not None:
                    return None
                uses = global_occurrences(source, old)
                if any(source.in_f_string(use) for use in uses):
                    return None
                edits += [source.replace(use, name) for use in uses]
    return edits
