"""How many batches may run before somebody looks whether a signal has come."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pedl2det_runtime.backends import keras_versions
from pedl2det_runtime.errors import Interrupted
from pedl2det_runtime.trainer import signals

_LONGEST = 0.5  # seconds


class Pace:
    """Grows from one batch to as many as take about half a second, by doubling.

    Attributes:
        most: how many batches that is.
    """

    def __init__(self) -> None:
        self.most = 1
        self.begin(0)

    def begin(self, batches: int) -> None:
        """Measure from here on, when so many batches have been run."""
        self._batches, self._began = batches, time.monotonic()

    def measure(self, batches: int) -> None:
        """Take the time since :meth:`begin`, when so many batches have been run."""
        seconds = max(time.monotonic() - self._began, 1e-9)
        fitting = int((batches - self._batches) * _LONGEST / seconds)
        self.most = max(1, min(fitting, 2 * self.most))


class ValidationPace(tf.keras.callbacks.Callback):
    """Stops a validation on a signal, and keeps its executions short.

    Args:
        pace: what earlier validations measured.
        may_stop: whether the validation may be stopped at the present batch.
        chunked: whether Keras may run several batches in one execution.
    """

    _supports_tf_logs = True  # it looks at no metric

    def __init__(self, pace: Pace, may_stop: Callable[[], bool], *, chunked: bool) -> None:
        super().__init__()
        self._may_stop = may_stop
        self._pace = pace
        self._chunked = chunked
        self._longest = 1

    def limit(self, model: Any, longest: int) -> None:
        """Limit the batches of one execution, before ``model.evaluate`` looks at the number."""
        self._longest = longest
        if self._chunked:
            keras_versions.set_chunk(model, min(self._pace.most, longest))

    def on_test_begin(self, logs: object = None) -> None:
        """Choose how many batches the first execution has."""
        self._choose(0)

    def on_test_batch_end(self, batch: int, logs: object = None) -> None:
        """Look for a signal, and choose how many batches the next execution has.

        Raises:
            Interrupted: there was a signal.
        """
        if (number := signals.asked()) and self._may_stop():
            raise Interrupted(number)
        self._pace.measure(batch + 1)
        self._choose(batch + 1)

    def _choose(self, batches: int) -> None:
        self._pace.begin(batches)
        if self._chunked:
            keras_versions.set_chunk(self.model, min(self._pace.most, self._longest))
