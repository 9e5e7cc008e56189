"""Ask a mapping with `.get` instead of a subscript: `hparams.get("units", 8)`."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, hyperparameters, with_file
from variants.source import Source
from variants.trial import hparam_reads, mappings_of


def transform(project: Project, chance: random.Random) -> Project | None:
    """Change one read of a hyperparameter, or of a section of the config."""
    known = hyperparameters(project)

    def places(source: Source) -> list[ast.Subscript]:
        found = []
        for function in source.functions():
            for name in mappings_of(project, source, function):
                found += hparam_reads(source, function, name)
        return found

    def apply(path: str, source: Source, node: ast.Subscript) -> Project | None:
        key = node.slice.value  # type: ignore[attr-defined]
        if key not in known and key != "data":
            return None
        value = known.get(key, {})
        usual = repr(float(value)) if _is_float(value) else repr(value)
        default = chance.choice(("", f", {usual}", ", None", f", {_other(value)}"))
        text = f'{source.segment(node.value)}.get("{key}"{default})'
        return with_file(project, path, source.edited([source.replace(node, text)]))

    return in_some_module(project, chance, places, apply)


def _is_float(value: object) -> bool:
    """Return whether PyYAML read a number like 1e-3 as a string."""
    return isinstance(value, str) and value.replace(".", "").replace("e-", "").isdigit()


def _other(value: object) -> str:
    return "{}" if isinstance(value, dict) else "1"
