"""Choose the batch at which a signal ends the training, the same on every rank."""

from __future__ import annotations

from pedl2det_runtime.data.feed import Feed
from pedl2det_runtime.distributed.rank_sync import RankSync
from pedl2det_runtime.training import signals
from pedl2det_runtime.training.signal_checks import CheckInterval


class StopBySignal:
    """Checks for signals about twice a second and ends the training in order.

    Batches that workers have loaded ahead are trained first: only then do the random states belong
    to the last trained batch.

    Args:
        sync: what the ranks decide together; each must call the same methods at the same batches.
        feed: the training data.

    Attributes:
        has_happened: whether the training was ended.
        last_batch: the batch after which it ends; None before a signal.
        validation_interval: batches of a validation between two checks.
    """

    def __init__(self, sync: RankSync, feed: Feed) -> None:
        self._sync, self._feed = sync, feed
        self.has_happened = False
        self.last_batch: int | None = None
        self.validation_interval = CheckInterval()
        self._interval = CheckInterval()
        self._next_check = 0

    @property
    def limit(self) -> int:
        """The batch up to which Keras may train without asking."""
        return self.last_batch or self._next_check

    def measure(self, batches: int) -> None:
        """Measure the time since the last check, if the next one is due."""
        if batches >= self._next_check:
            self._interval.measure(batches)

    def restart_clock(self, batches: int) -> None:
        """Leave out the time of a validation or a checkpoint."""
        self._interval.begin(batches)

    def is_due(self, batches: int) -> bool:
        """Return whether the training must end now, after ``batches`` batches."""
        if batches >= self._next_check and self.last_batch is None:
            if self._sync.any(signals.received() is not None):
                self.last_batch = self._sync.largest(self._feed.reader.hold(batches))
                self._feed.horizon.made = self.last_batch
            self._next_check = batches - self._sync.largest(-self._interval.most)  # the smallest
            self._interval.begin(batches)
        return batches == self.last_batch
