"""``determined.core``: the Core API off the cluster."""

from determined.core._distributed import DistributedContext, DummyDistributedContext
from pedl2det_runtime import refusals
from pedl2det_runtime.core.checkpoints import CheckpointContext
from pedl2det_runtime.core.context import Context, init
from pedl2det_runtime.core.modes import (
    DownloadMode,
    EarlyExitReason,
    PreemptMode,
    SearcherMode,
    TensorboardMode,
    Unit,
)
from pedl2det_runtime.core.preempt import PreemptContext, ProfilerContext
from pedl2det_runtime.core.searcher import SearcherContext, SearcherOperation
from pedl2det_runtime.core.train import TrainContext

# What they are off the cluster.
DummyCheckpointContext = CheckpointContext
DummyPreemptContext = PreemptContext
DummyProfilerContext = ProfilerContext
DummySearcherContext = SearcherContext
DummySearcherOperation = SearcherOperation
DummyTrainContext = TrainContext

__all__ = [
    "CheckpointContext",
    "Context",
    "DistributedContext",
    "DownloadMode",
    "DummyCheckpointContext",
    "DummyDistributedContext",
    "DummyPreemptContext",
    "DummyProfilerContext",
    "DummySearcherContext",
    "DummySearcherOperation",
    "DummyTrainContext",
    "EarlyExitReason",
    "PreemptContext",
    "PreemptMode",
    "ProfilerContext",
    "SearcherContext",
    "SearcherMode",
    "SearcherOperation",
    "TensorboardMode",
    "TrainContext",
    "Unit",
    "init",
]

refusals.complete(__name__)
