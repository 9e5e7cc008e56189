"""Move the config into a folder of its own, or give it another name."""

from __future__ import annotations

import random

from variants.project import Project, config_path

NAMES = ("configs/const.yaml", "experiments/const.yaml", "config/single.yaml", "experiment.yaml")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Move the only config of the project."""
    old = config_path(project)
    if "/" in old:
        return None
    changed = {path: text for path, text in project.items() if path != old}
    return {**changed, chance.choice(NAMES): project[old]}
