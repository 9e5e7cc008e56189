"""``determined.core.init`` and ``Context`` off the cluster."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any, NoReturn, Self

from pedl2det_runtime import refusals
from pedl2det_runtime.api.cluster_info import ClusterInfo, get_cluster_info
from pedl2det_runtime.api.trial_info import current
from pedl2det_runtime.core.checkpoints import CheckpointContext, storage_of
from pedl2det_runtime.core.modes import PreemptMode, TensorboardMode, Unit
from pedl2det_runtime.core.preempt import PreemptContext, ProfilerContext
from pedl2det_runtime.core.searcher import SearcherContext
from pedl2det_runtime.core.train import TrainContext
from pedl2det_runtime.distributed import DistributedContext, one_process
from pedl2det_runtime.errors import NoTrialError, UnservedUseError

#: Where results are, without ``pedl2det run``.
RESULTS = Path("runs") / "core"
_log = logging.getLogger("determined.core")


class Context:
    """What a training of its own loop needs. Use ``with core.init() as context``.

    Args:
        checkpoint: checkpoints.
        distributed: the processes.
        preempt: whether to stop.
        train: reports.
        searcher: the length of the training.

    Attributes:
        profiler: does nothing.
        info: the running trial; None without ``pedl2det run``.
    """

    def __init__(
        self,
        checkpoint: CheckpointContext,
        distributed: DistributedContext | None = None,
        preempt: PreemptContext | None = None,
        train: TrainContext | None = None,
        searcher: SearcherContext | None = None,
    ) -> None:
        self.checkpoint = checkpoint
        self.distributed = distributed or one_process()
        self.preempt = preempt or PreemptContext()
        self.train = train or TrainContext()
        self.searcher = searcher or SearcherContext(self.distributed)
        self.profiler = ProfilerContext()
        self.info: ClusterInfo | None = get_cluster_info()

    def start(self) -> None:
        """Do nothing."""

    def close(self, *error: object) -> None:
        """Close the connections to the other processes, unless a run opened them."""
        if self.info is None:
            self.distributed.close()

    def alert(self, *_: object, **__: object) -> NoReturn:
        """Send an alert through a cluster's webhooks; always raises.

        Raises:
            UnservedUseError: always.
        """
        raise UnservedUseError(refusals.message("determined.core.Context.alert"))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.close(*error)


def init(
    *,
    distributed: DistributedContext | None = None,
    checkpoint_storage: str | os.PathLike[str] | dict[str, Any] | None = None,
    preempt_mode: PreemptMode = PreemptMode.WorkersAskChief,
    tensorboard_mode: TensorboardMode = TensorboardMode.AUTO,  # noqa: ARG001
) -> Context:
    """Create the context of a training loop of your own.

    Results are in ``runs/core`` of the working directory, or in ``core`` of the directory of
    ``pedl2det run``: ``metrics.jsonl``, ``tensorboard/`` and ``checkpoints/<uuid>/``.

    Args:
        distributed: the processes; one by default.
        checkpoint_storage: where checkpoints are instead: a directory, ``s3://bucket/prefix``,
            ``gs://bucket/prefix``, or the section ``checkpoint_storage`` of a config.
        preempt_mode: not used.
        tensorboard_mode: not used.

    Raises:
        ConfigError: ``checkpoint_storage`` is not one of these, or cannot be used.
    """
    results, length = RESULTS.resolve(), (1, Unit.EPOCHS)
    try:
        info = current()
    except NoTrialError:
        pass
    else:
        results = info.tensorboard_dir.parent / "core"
        distributed = distributed or info.distributed
        length = _length(info.config.searcher.max_length) or length
    distributed = distributed or one_process()
    storage = storage_of(checkpoint_storage or results / "checkpoints")
    _log.info("results are in %s", results)
    return Context(
        CheckpointContext(distributed, storage),
        distributed,
        PreemptContext(distributed, preempt_mode),
        TrainContext(results / "tensorboard", results / "metrics.jsonl"),
        SearcherContext(distributed, *length),
    )


def _length(length: Any) -> tuple[int, Unit] | None:
    """Return the length of a config and its unit."""
    if length is None or isinstance(length, int):
        return None
    for unit, count in length.model_dump(exclude_none=True).items():
        return count, Unit(unit.upper())
    return None
