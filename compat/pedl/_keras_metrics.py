"""Convert the metrics of a ``KerasTrial`` to Keras metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pedl._calls import location
from pedl.old_models import by_old_names
from pedl2det_runtime.errors import CheckFailedError


def named_metrics(metrics: Callable[[], Any]) -> dict[str, Any]:
    """Call ``training_metrics`` or ``validation_metrics`` and check the result.

    Raises:
        CheckFailedError: the result is not a dict.
    """
    named = metrics()
    if not isinstance(named, dict):
        raise CheckFailedError(
            f"{location(metrics)}: expected a dict of metrics by name, got {named!r}: return "
            "{} for none"
        )
    return named


def as_metric(metric: Any, name: str) -> Any:
    """Return a Keras metric with this name from a metric, a function or the name of a metric."""
    import tensorflow as tf

    if isinstance(metric, tf.keras.metrics.Metric):
        metric._name = name
        return metric
    return tf.keras.metrics.MeanMetricWrapper(_function(metric), name=name)


def _function(metric: Any) -> Callable[[Any, Any], Any]:
    """Return the function of a metric; for "accuracy", the one that fits the shapes."""
    import tensorflow as tf

    if metric not in ("accuracy", "acc"):
        function: Callable[[Any, Any], Any] = tf.keras.metrics.get(by_old_names(tf, metric))
        return function

    def accuracy(y: Any, p: Any) -> Any:
        if p.shape[-1] == 1:
            return tf.keras.metrics.binary_accuracy(y, p)
        if y.shape.rank == p.shape.rank and y.shape[-1] != 1:
            return tf.keras.metrics.categorical_accuracy(y, p)
        return tf.keras.metrics.sparse_categorical_accuracy(y, p)

    return accuracy
