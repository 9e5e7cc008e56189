"""Warn when the loss becomes NaN or infinite. Keras trains on, and so does a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pedl2det_runtime.checkpoint.json_lines import numbers


class LossWarning:
    """Prints one line at the first loss of a run that is not finite.

    Args:
        first_batch: how many batches are trained already.
        say: prints one line for people.
    """

    def __init__(self, first_batch: int, say: Callable[[str], None]) -> None:
        self._seen = first_batch
        self._say = say
        self._is_said = False

    def check(self, logs: dict[str, Any], batches: int) -> None:
        """Check the loss where it is fetched from the device; this waits for the device.

        Args:
            logs: the metrics, with the running mean of the loss, or the losses of all records.
            batches: how many batches are trained now.
        """
        first, self._seen = self._seen + 1, batches
        if self._is_said:
            return
        losses = numbers(logs).get("loss", np.zeros(()))
        wrong = losses[~np.isfinite(losses)]
        if not wrong.size:
            return
        self._is_said = True
        which = f"batch {first}" if first == batches else f"one of the batches {first} to {batches}"
        trace = "" if first == batches else " (--trace shows which)"
        self._say(
            f"warning: the loss became {wrong[0]} in {which}{trace}; the training goes on, as in "
            "Keras: check the data for such values, or lower the learning rate; "
            "tf.keras.callbacks.TerminateOnNaN() ends a training there"
        )
