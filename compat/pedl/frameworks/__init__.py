"""``pedl.frameworks``: one package for each framework."""

import importlib
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    """``pedl.frameworks.keras``, which loads TensorFlow, and ``pedl.frameworks.util``."""
    if name in ("keras", "util"):
        return importlib.import_module(f"pedl.frameworks.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
