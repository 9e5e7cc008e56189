"""Limit how many batches run between two checks for a signal."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pedl2det_runtime.backends import chunks
from pedl2det_runtime.data.feed import Feed
from pedl2det_runtime.errors import Interrupted
from pedl2det_runtime.training import signals

_LONGEST = 0.5  # seconds


class CheckInterval:
    """The number of batches that take about half a second; grows from one by doubling.

    Attributes:
        most: the number of batches.
    """

    def __init__(self) -> None:
        self.most = 1
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

    Args:
        interval: measured in earlier validations; updated.
        may_stop: returns whether the validation can be stopped at this batch.
        chunked: whether Keras may run several batches in one execution.
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
        """Limit the batches of one execution; call it before ``model.evaluate``.

        Args:
            model: the model.
            feed: the validation data.
            longest: the largest number of batches.
        """
        self._model, self._feed, self._longest = model, feed, longest
        self._choose(0)

    def on_test_begin(self, logs: object = None) -> None:
        """Set the number of batches of the first execution."""
        self._choose(0)

    def on_test_batch_end(self, batch: int, logs: object = None) -> None:
        """Check for a signal and set the number of batches of the next execution.

        Raises:
            Interrupted: a signal arrived.
        """
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
