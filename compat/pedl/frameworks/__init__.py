"""``pedl.frameworks``: one package per framework."""

import importlib
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    """Import ``pedl.frameworks.keras`` and ``util`` on first access."""
    if name in ("keras", "util"):
        return importlib.import_module(f"pedl.frameworks.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
