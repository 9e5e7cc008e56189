"""The metrics of a ``KerasTrial`` as Keras takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pedl._calls import place
from pedl.old_models import by_old_names
from pedl2det_runtime.errors import CheckFailedError


def named_metrics(metrics: Callable[[], Any]) -> dict[str, Any]:
    """What ``training_metrics`` or ``validation_metrics`` gives.

    Raises:
        CheckFailedError: it is no dict.
    """
    found = metrics()
    if not isinstance(found, dict):
        raise CheckFailedError(
            f"{place(metrics)}: expected a dict of metrics by name, got {found!r}: return "
            "{} for none"
        )
    return found


def as_metric(metric: Any, name: str) -> Any:
    """A metric, or the name or function of one, under a name for Keras."""
    import tensorflow as tf

    if isinstance(metric, tf.keras.metrics.Metric):
        metric._name = name
        return metric
    return tf.keras.metrics.MeanMetricWrapper(_function(metric), name=name)


def _function(metric: Any) -> Callable[[Any, Any], Any]:
    """A metric's function; "accuracy" is the one that fits the shapes."""
    import tensorflow as tf

    if metric not in ("accuracy", "acc"):
        found: Callable[[Any, Any], Any] = tf.keras.metrics.get(by_old_names(tf, metric))
        return found

    def accuracy(y: Any, p: Any) -> Any:
        if p.shape[-1] == 1:
            return tf.keras.metrics.binary_accuracy(y, p)
        if y.shape.rank == p.shape.rank and y.shape[-1] != 1:
            return tf.keras.metrics.categorical_accuracy(y, p)
        return tf.keras.metrics.sparse_categorical_accuracy(y, p)

    return accuracy
