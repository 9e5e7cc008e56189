"""``context.preempt``: off the cluster, nobody asks a training to stop."""

from __future__ import annotations

from typing import Self

from pedl2det_runtime.core.modes import PreemptMode
from pedl2det_runtime.distributed import DistributedContext


class PreemptContext:
    """Whether the training should save a checkpoint and end.

    Args:
        dist: the processes; not used.
        preempt_mode: which of them ask; not used.
    """

    def __init__(
        self,
        dist: DistributedContext | None = None,
        preempt_mode: PreemptMode = PreemptMode.WorkersAskChief,
    ) -> None:
        del dist, preempt_mode

    def should_preempt(self, auto_ack: bool = True) -> bool:
        """Return False: there is no scheduler."""
        return False

    def acknowledge_preemption_signal(self) -> None:
        """Do nothing."""

    def start(self) -> Self:
        """Do nothing."""
        return self

    def close(self) -> None:
        """Do nothing."""


class ProfilerContext:
    """``context.profiler``: system metrics are not recorded."""

    def on(self, sampling_interval: int = 1, samples_per_report: int = 10) -> None:
        """Do nothing."""

    def off(self) -> None:
        """Do nothing."""
