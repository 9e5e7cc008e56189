"""``determined.core``: what ``DeterminedCallback`` needs."""

from determined.core._distributed import DistributedContext, DummyDistributedContext
from pedl2det_runtime import refusals
from pedl2det_runtime.api.core_context import (
    CheckpointContext,
    Context,
    PreemptContext,
    TrainContext,
    init,
)

__all__ = [
    "CheckpointContext",
    "Context",
    "DistributedContext",
    "DummyDistributedContext",
    "PreemptContext",
    "TrainContext",
    "init",
]

refusals.complete(__name__)
