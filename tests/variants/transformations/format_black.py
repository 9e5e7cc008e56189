"""Format the code with black."""

from __future__ import annotations

import random

from variants.project import Project, code_paths

LENGTHS = (79, 88, 100, 120)


def transform(project: Project, chance: random.Random) -> Project | None:
    """Format every file, with one length of line; None where black is not installed."""
    length = chance.choice(LENGTHS)
    try:
        import black
    except ImportError:
        return None
    mode = black.Mode(line_length=length, string_normalization=chance.random() < 0.7)
    changed = {path: black.format_str(project[path], mode=mode) for path in code_paths(project)}
    return {**project, **changed} if any(project[one] != changed[one] for one in changed) else None
