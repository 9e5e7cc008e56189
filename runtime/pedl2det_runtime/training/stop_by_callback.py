"""Requests of callbacks to stop training: ``model.stop_training`` and the trial's context."""

from __future__ import annotations

from pedl2det_runtime.api.context import TFKerasTrialContext
from pedl2det_runtime.checkpoint.state import State
from pedl2det_runtime.distributed.rank_sync import RankSync


class StopByCallback:
    """Collects requests of all ranks; training stops at the end of a workload.

    Args:
        context: the trial's context, with its model.
        sync: what the ranks decide together.
        state: the state of a resumed run; None for a new one.

    Attributes:
        is_pending: whether a callback of this rank has asked.
        is_agreed: whether all ranks stop.
    """

    def __init__(self, context: TFKerasTrialContext, sync: RankSync, state: State | None) -> None:
        self._context, self._sync = context, sync
        self.is_pending = state.wants_to_stop if state else False
        self.is_agreed = state.stopped if state else False

    def collect(self) -> None:
        """Note a request of this rank; Keras must not act on it before the workload ends."""
        model = self._context.model
        if model.stop_training or self._context.get_stop_requested():
            self.is_pending = True
            model.stop_training = False

    def share(self) -> None:
        """Make a request of any rank one of this rank, for a checkpoint within a workload."""
        self.is_pending = self._sync.any(self.is_pending)

    def agree(self) -> None:
        """Stop if any rank has asked."""
        self.collect()
        self.is_agreed = self._sync.any(self.is_pending) or self.is_agreed
