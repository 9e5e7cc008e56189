"""Collect the two loaders in a dict, list or tuple before they are returned."""

from __future__ import annotations

import ast
import random

from variants.choosing import first_that_applies
from variants.project import Project, with_file
from variants.scopes import fresh
from variants.source import Source
from variants.trial import containers_of_loaders

NAMES = ("loaders", "datasets", "splits", "data_loaders", "both")
FORMS = (
    '{n} = {{"train": {a}, "val": {b}}}\nreturn {n}["train"], {n}["val"]\n',
    "{n} = dict(train={a}, test={b})\nreturn ({n}['train'], {n}['test'])\n",
    '{n} = {{}}\n{n}["training"] = {a}\n{n}["validation"] = {b}\n'
    'return {n}["training"], {n}["validation"]\n',
    "{n} = ({a}, {b})\nreturn {n}\n",
    "{n} = {a}, {b}\nreturn {n}[0], {n}[1]\n",
    "{n} = [{a}, {b}]\nreturn tuple({n})\n",
    "{n} = []\n{n}.append({a})\n{n}.append({b})\nreturn {n}[0], {n}[1]\n",
    "{n} = [{a}, {b}]\nreturn {n}[0], {n}[-1]\n",
)


def transform(project: Project, chance: random.Random) -> Project | None:
    """Change one return of two loaders."""
    name = fresh(project, chance, *NAMES)

    def apply(place: tuple[str, Source, ast.Return]) -> Project | None:
        path, source, node = place
        assert isinstance(node.value, ast.Tuple)
        if any(isinstance(one, ast.Starred) for one in node.value.elts):
            return None
        first, second = (source.expression(one) for one in node.value.elts)
        text = chance.choice(FORMS).format(n=name, a=first, b=second)
        return with_file(project, path, source.edited([source.replace_lines(node, node, text)]))

    return first_that_applies(chance, containers_of_loaders(project), apply)
