"""End a training early, at the same batch on every rank: for a signal, or if a callback asks."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pedl2det_runtime.api.context import TFKerasTrialContext
from pedl2det_runtime.backends import chunks
from pedl2det_runtime.checkpoint.state import State
from pedl2det_runtime.data.feed import Feed
from pedl2det_runtime.distributed.rank_sync import RankSync
from pedl2det_runtime.errors import Interrupted
from pedl2det_runtime.training import signals

_LONGEST = 0.5  # seconds


class CheckInterval:
    """The number of batches that take about half a second; grows from one by doubling."""

    def __init__(self) -> None:
        self.most = 1  #: the number of batches
        self.begin(0)

    def begin(self, batches: int) -> None:
        """Start the clock after ``batches`` batches."""
        self._batches, self._began = batches, time.monotonic()

    def measure(self, batches: int) -> None:
        """Update ``most`` from the time since :meth:`begin`, after ``batches`` batches."""
        seconds = max(time.monotonic() - self._began, 1e-9)
        fitting = int((batches - self._batches) * _LONGEST / seconds)
        self.most = max(1, min(fitting, 2 * self.most))


class ValidationChecks(tf.keras.callbacks.Callback):
    """Stops a validation on a signal and limits its executions to about half a second.

    The interval is measured in earlier validations, and updated. ``may_stop`` returns whether the
    validation can be stopped at this batch. ``chunked`` says whether Keras may run several batches
    in one execution.
    """

    _supports_tf_logs = True  # it looks at no metric

    def __init__(
        self, interval: CheckInterval, may_stop: Callable[[], bool], *, chunked: bool
    ) -> None:
        super().__init__()
        self._may_stop = may_stop
        self._interval = interval
        self._chunked = chunked

    def limit(self, model: Any, feed: Feed, longest: int) -> None:
        """Limit the batches of one execution; call it before ``model.evaluate``."""
        self._model, self._feed, self._longest = model, feed, longest
        self._choose(0)

    def on_test_begin(self, logs: object = None) -> None:
        """Set the number of batches of the first execution."""
        self._choose(0)

    def on_test_batch_end(self, batch: int, logs: object = None) -> None:
        """Check for a signal and set the number of batches of the next execution."""
        if (number := signals.received()) and self._may_stop():
            raise Interrupted(number)
        self._interval.measure(batch + 1)
        self._choose(batch + 1)

    def _choose(self, batches: int) -> None:
        self._interval.begin(batches)
        most = min(self._interval.most, self._longest)
        self._feed.horizon.read = batches + most
        if self._chunked:
            chunks.set_chunk(self._model, most)


class StopBySignal:
    """Checks for signals about twice a second and ends the training in order.

    Batches that workers have loaded ahead are trained first: only then do the random states belong
    to the last trained batch.
    """

    def __init__(self, sync: RankSync, feed: Feed) -> None:
        self._sync, self._feed = sync, feed
        self.has_happened = False  #: whether the training was ended
        self.last_batch: int | None = None  #: the batch after which it ends; None before a signal
        self.validation_interval = CheckInterval()  #: between two checks in a validation
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


class StopByCallback:
    """Collects requests of all ranks; training stops at the end of a workload."""

    def __init__(self, context: TFKerasTrialContext, sync: RankSync, state: State) -> None:
        self._context, self._sync = context, sync
        #: whether a callback of this rank has asked, and whether all ranks stop
        self.is_pending = state.wants_to_stop
        self.is_agreed = state.stopped

    def collect(self) -> None:
        """Record a request of this rank; Keras must not act on it before the workload ends."""
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
