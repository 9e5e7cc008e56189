"""Name the loaders before they are returned, or the pair of them."""

from __future__ import annotations

import ast
import random

from variants.choosing import first_that_applies
from variants.project import Project, with_file
from variants.scopes import fresh
from variants.source import Source
from variants.trial import containers_of_loaders

PAIRS = (("train_loader", "val_loader"), ("trn", "tst"), ("train_seq", "valid_seq"))


def transform(project: Project, chance: random.Random) -> Project | None:
    """Change one return of two loaders."""
    names = [fresh(project, chance, name) for name in chance.choice(PAIRS)]

    def apply(place: tuple[str, Source, ast.Return]) -> Project | None:
        path, source, node = place
        assert isinstance(node.value, ast.Tuple)
        if any(isinstance(one, ast.Starred) for one in node.value.elts):
            return None
        values = [source.expression(one) for one in node.value.elts]
        lines = [f"{name} = {value}\n" for name, value in zip(names, values, strict=True)]
        text = f"{''.join(lines)}return {chance.choice(('{}, {}', '({}, {})')).format(*names)}\n"
        return with_file(project, path, source.edited([source.replace_lines(node, node, text)]))

    return first_that_applies(chance, containers_of_loaders(project), apply)
