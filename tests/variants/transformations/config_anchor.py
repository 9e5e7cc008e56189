"""Use an anchor and an alias, or a merge, in the config."""

from __future__ import annotations

import random
import re

import yaml

from variants.project import Project, config_path, with_file


def transform(project: Project, chance: random.Random) -> Project | None:
    """Share a value between two keys, or merge the hyperparameters from a mapping in them."""
    path = config_path(project)
    text = project[path]
    if "&" in text:
        return None
    order = [_alias, _merge]
    chance.shuffle(order)
    for change in order:
        changed = change(text, chance)
        if changed is not None and yaml.safe_load(changed) == yaml.safe_load(text):
            return with_file(project, path, changed)
    return None


def _alias(text: str, chance: random.Random) -> str | None:
    """Write the second of two equal scalars as an alias of the first."""
    lines = text.splitlines(keepends=True)
    scalars = [
        (n, m) for n, line in enumerate(lines) if (m := re.match(r"( *\w+: )(\d+)(?=\s|$)", line))
    ]
    pairs = [(a, b) for a in scalars for b in scalars if a[0] < b[0] and a[1][2] == b[1][2]]
    if not pairs:
        return None
    (first, found), (second, other) = chance.choice(pairs)
    rest = lines[first][found.end() :]
    lines[first] = f"{found[1]}&shared {found[2]}{rest}"
    lines[second] = f"{other[1]}*shared{lines[second][other.end() :]}"
    return "".join(lines)


def _merge(text: str, chance: random.Random) -> str | None:
    """Write the first hyperparameter in a mapping that is merged in place."""
    return re.sub(
        r"(?m)^hyperparameters:\n  (\w+): ([^\n#{]+?)( *#.*)?\n",
        r"hyperparameters:\n  <<: &common {\1: \2}\n",
        text,
        count=1,
    )
