"""Format the code with yapf."""

from __future__ import annotations

import random

from variants.project import Project, code_paths

STYLES = ("pep8", "google", "facebook", "yapf")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Format every file in one style; None where yapf is not installed."""
    style = chance.choice(STYLES)
    try:
        from yapf.yapflib.yapf_api import FormatCode
    except ImportError:
        return None
    changed = {
        path: FormatCode(project[path], style_config=style)[0] for path in code_paths(project)
    }
    return {**project, **changed} if any(project[one] != changed[one] for one in changed) else None
