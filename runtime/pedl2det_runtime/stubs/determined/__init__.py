"""``import determined`` without Determined: the API that pedl2det_runtime implements."""

import importlib
from typing import Any

from determined import core, errors
from pedl2det_runtime.api.cluster_info import ClusterInfo, get_cluster_info
from pedl2det_runtime.api.cluster_info import ClusterTrialInfo as TrialInfo
from pedl2det_runtime.api.trial_context import TrialContext
from pedl2det_runtime.config.python_side import Categorical, Constant, Double, Integer, Log
from pedl2det_runtime.errors import InvalidHP

__all__ = [
    "Categorical",
    "ClusterInfo",
    "Constant",
    "Double",
    "Integer",
    "InvalidHP",
    "Log",
    "TrialContext",
    "TrialInfo",
    "core",
    "errors",
    "get_cluster_info",
]


def __getattr__(name: str) -> Any:
    """Import submodules on first access, because they import TensorFlow.

    ``determined.create`` and ``determined.Mode`` are names of Determined 0.12.
    """
    if name in ("keras", "experimental"):
        return importlib.import_module(f"determined.{name}")
    if name in ("Mode", "create", "create_trial_instance"):
        return getattr(importlib.import_module("determined.experimental"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
