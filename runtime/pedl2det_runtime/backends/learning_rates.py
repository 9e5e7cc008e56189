"""Read the learning rates of a model's optimizers, without a change of the training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pedl2det_runtime.backends import graph_mode, keras_versions


class LearningRates:
    """The learning rates of a compiled model's optimizers.

    Variables, numbers and schedules are read, and ``decay`` of old optimizers is applied. A rate
    that cannot be read is left out. Nothing is created in the model's graph: seeds of operations
    depend on how many there are.
    """

    def __init__(self, model: Any) -> None:
        self._optimizers = keras_versions.named_optimizers(model)
        self._schedules: dict[str, Callable[[int], Any]] = {}

    def read(self) -> dict[str, float]:
        """Return the rate of each optimizer's next step, by the optimizer's name."""
        rates = {}
        for name, optimizer in list(self._optimizers.items()):
            try:
                rates[name] = self._rate(name, getattr(optimizer, "inner_optimizer", optimizer))
            except Exception:  # such as one of a schedule that the user wrote
                del self._optimizers[name]
        return rates

    def _rate(self, name: str, optimizer: Any) -> float:
        import tensorflow as tf

        is_old = isinstance(optimizer, tf.keras.optimizers.legacy.Optimizer)
        rate = optimizer._hyper["learning_rate"] if is_old else optimizer._learning_rate
        decay = float(getattr(optimizer, "_initial_decay", 0.0))
        is_schedule = isinstance(rate, tf.keras.optimizers.schedules.LearningRateSchedule)
        steps = 0
        if (is_schedule or decay) and optimizer._iterations is not None:
            steps = int(graph_mode.value(optimizer._iterations))
        if is_schedule:
            if name not in self._schedules:
                dtype = tf.float32 if is_old else tf.int64  # as they call it
                self._schedules[name] = _evaluator(rate, dtype)
            rate = self._schedules[name](steps)
        elif callable(rate) and not hasattr(rate, "assign"):
            rate = rate()
        return float(graph_mode.value(rate)) / (1.0 + decay * steps)


def _evaluator(schedule: Any, dtype: Any) -> Callable[[int], Any]:
    """Return a function that evaluates a schedule after so many steps.

    It has a graph of its own in both modes, which is faster than eager execution.
    """
    import tensorflow as tf

    with tf.Graph().as_default() as graph:
        steps = tf.compat.v1.placeholder(dtype, ())
        rate = schedule(steps)
    session = tf.compat.v1.Session(graph=graph)
    return lambda number: session.run(rate, {steps: number})
