"""The transformations, found by being in their folder, and when each may run."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Callable

from variants import transformations
from variants.project import Project

Transformation = Callable[[Project, random.Random], Project | None]

#: Those that change the config.
CONFIG = (
    *("config_anchor", "config_comments", "config_flow_style", "config_folder", "config_order"),
)
#: Those after which a file no longer has one statement a line and four spaces a block.
LAYOUT = (*("comments", "format_black", "format_yapf", "line_breaks", "semicolons", "two_spaces"),)


def load_transformations() -> dict[str, Transformation]:
    """Import every transformation, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(transformations.__path__))
    prefix = transformations.__name__
    return {name: importlib.import_module(f"{prefix}.{name}").transform for name in names}


TRANSFORMATIONS = load_transformations()
CODE = tuple(name for name in TRANSFORMATIONS if name not in (*CONFIG, *LAYOUT))
