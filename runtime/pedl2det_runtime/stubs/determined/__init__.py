"""``import determined``, served by pedl2det_runtime where no Determined is installed."""

import importlib
from typing import Any

from determined import core, errors
from pedl2det_runtime.errors import InvalidHP
from pedl2det_runtime.trial_context import TrialContext

__all__ = ["InvalidHP", "TrialContext", "core", "errors"]


def __getattr__(name: str) -> Any:
    """``det.keras`` (seed 002, line 97), imported when it is asked for: it loads TensorFlow."""
    if name == "keras":
        return importlib.import_module("determined.keras")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
