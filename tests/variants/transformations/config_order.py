"""Order the sections of the config otherwise, and quote some keys."""

from __future__ import annotations

import random
import re

from variants.project import Project, config_path, with_file


def transform(project: Project, chance: random.Random) -> Project | None:
    """Shuffle the sections at the top level of the config."""
    path = config_path(project)
    if "&" in project[path]:
        return None
    sections = re.split(r"(?m)^(?=\w)", project[path])
    head, rest = sections[0], sections[1:]
    rest = [one if one.endswith("\n") else f"{one}\n" for one in rest]
    chance.shuffle(rest)
    if chance.random() < 0.3:
        rest = [re.sub(r"^(\w+):", r'"\1":', one) for one in rest]
    text = head + "".join(rest)
    return with_file(project, path, text) if text != project[path] else None
