"""Add comments to the config: between keys, and after values."""

from __future__ import annotations

import random

from variants.project import Project, config_path, with_file

WORDS = ("tuned by hand", "TODO", "batch_size: 64", "was 100 steps", "see pedl docs", "---")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Add some comments."""
    path = config_path(project)
    lines = []
    for line in project[path].splitlines():
        if chance.random() < 0.15:
            lines.append(f"{' ' * (len(line) - len(line.lstrip()))}# {chance.choice(WORDS)}")
        is_open = '"' in line or "#" in line or not line.strip()
        lines.append(
            line if is_open or chance.random() > 0.2 else f"{line}  # {chance.choice(WORDS)}"
        )
    text = "\n".join(lines) + "\n"
    return with_file(project, path, text) if text != project[path] else None
