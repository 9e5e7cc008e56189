"""Compute the name of a hyperparameter: `hparams["learning" + "_rate"]`."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.source import Source
from variants.trial import name_constants


def transform(project: Project, chance: random.Random) -> Project | None:
    """Change one text by which a hyperparameter or a part of the config is asked for."""

    def apply(path: str, source: Source, node: ast.Constant) -> Project | None:
        text = str(node.value)
        if len(text) < 3 or '"' in text or "\\" in text:
            return None
        cut = text.rfind("_") if "_" in text else len(text) // 2
        head, tail = text[:cut], text[cut:]
        forms = (
            f'"{head}" + "{tail}"',
            f'"{head}{{}}".format("{tail}")',
            f'"%s{tail}" % "{head}"',
            f'"".join(["{head}", "{tail}"])',
        )
        return with_file(project, path, source.edited([source.replace(node, chance.choice(forms))]))

    return in_some_module(project, chance, name_constants, apply)
