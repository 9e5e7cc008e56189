"""Check metrics: that of the searcher, those that callbacks monitor, and the loss for NaN.

Keras warns of a missing metric at the end of each epoch. One notice at the start replaces these
warnings. A loss that is not finite ends no training, in Keras and here; one line warns of it.
"""

from __future__ import annotations

import difflib
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import tensorflow as tf

from pedl2det_runtime.backends.compiled_model import metric_names
from pedl2det_runtime.checkpoint.json_lines import numbers
from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.config.generation import Generation
from pedl2det_runtime.errors import MetricError


def check_metric(
    config: ExperimentConfig, generation: Generation, model: Any, *, may_add_metrics: bool
) -> None:
    """Refuse a searcher's metric that no validation will report.

    It is not checked where the metrics are not certain: a trial computes its own, a callback may
    add some, or the model does when it is called.
    """
    if generation.validate or may_add_metrics:
        return
    names = metric_names(model)
    if names is None:
        return
    metrics = generation.reported("validation", dict.fromkeys(sorted(names)))
    wanted = config.searcher.metric
    if _without_number(wanted) in map(_without_number, generation.with_aliases(metrics)):
        return
    near = difflib.get_close_matches(wanted, metrics, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise MetricError(
        f"{config.location('searcher', 'metric')}: {wanted} is none of the numbers that the "
        f"validation reports: {', '.join(metrics)}{hint}"
    )


def _without_number(name: str) -> str:
    """Remove the number that Keras adds to repeated names."""
    return re.sub(r"_\d+$", "", name)


class LossWarning:
    """Prints one line at the first loss of a run that is not finite."""

    def __init__(self, first_batch: int, say: Callable[[str], None]) -> None:
        self._seen = first_batch
        self._say = say
        self._is_said = False

    def check(self, logs: dict[str, Any], batches: int) -> None:
        """Check the loss where it is fetched from the device; this waits for the device.

        The logs have the running mean of the loss, or the losses of all records.
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


class MissingMetrics:
    """The validation metrics that callbacks of Keras monitor in vain at the end of each epoch."""

    def __init__(self, callbacks: list[Any]) -> None:
        self._without: list[Any] = []  # callbacks that certainly get no metric
        self._shown: dict[str, int] = {}  # records of Keras still to show, by metric
        others_may_add = False
        for callback in callbacks:
            if _monitors_validations(callback):
                self._shown.setdefault(callback.monitor, int(others_may_add))
                if not others_may_add:
                    self._without.append(callback)
            # The logs of an epoch go from one callback to the next.
            others_may_add = others_may_add or _may_add_metrics(callback)

    @contextmanager
    def silenced(self) -> Iterator[None]:
        """Drop what Keras logs about these metrics; once, if another callback may add them."""
        tf.get_logger().addFilter(self._is_shown)
        try:
            yield
        finally:
            tf.get_logger().removeFilter(self._is_shown)

    def _is_shown(self, record: logging.LogRecord) -> bool:
        metric = record.args[0] if isinstance(record.args, tuple) and record.args else None
        if not isinstance(metric, str) or metric not in self._shown:
            return True
        self._shown[metric] -= 1
        return self._shown[metric] >= 0

    def notice(self, generation: Generation) -> str | None:
        """Return the line about the callbacks that never act; None if there are none."""
        if not self._without:
            return None
        names = ", ".join(
            f"{callback.__class__.__name__} (monitors {callback.monitor})"
            for callback in self._without
        )
        if generation.epoch_is_one_pass:
            return (
                f"{names}: will never act, as in PEDL and early Determined, "
                "which gave callbacks no validation metric at the end of an epoch"
            )
        return (
            f"{names}: will never act: Determined gives callbacks no validation metric at the end "
            "of an epoch; EarlyStopping and ReduceLROnPlateau of determined.keras.callbacks act "
            "after each validation"
        )


def _monitors_validations(callback: Any) -> bool:
    """Return whether a callback is one of Keras itself that acts on a validation metric only."""
    keras = tf.keras.callbacks
    kind = callback.__class__  # not type(): a wrapper has the class of what it wraps
    return (
        kind in (keras.EarlyStopping, keras.ReduceLROnPlateau)
        or (kind is keras.ModelCheckpoint and callback.save_best_only)
    ) and str(callback.monitor).startswith("val_")


def _may_add_metrics(callback: Any) -> bool:
    """Return whether code of a user is called at the end of an epoch."""
    base, kind = tf.keras.callbacks.Callback, callback.__class__
    is_of_keras = kind.__module__.partition(".")[0] == base.__module__.partition(".")[0]
    overrides = kind.on_epoch_end is not base.on_epoch_end and not is_of_keras
    return overrides or "on_epoch_end" in vars(callback)
