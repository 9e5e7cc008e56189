"""``BatchNormalization`` with ``trainable=False`` as in TensorFlow 1 and Keras 2.2.4.

In training, a frozen layer normalizes with the statistics of the batch and does not update its
moving averages. TensorFlow 2 runs a frozen layer in inference mode.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def training_value(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap ``_get_training_value`` to return ``training`` also for a frozen layer."""

    @functools.wraps(original)
    def _get_training_value(self: Any, training: Any = None) -> Any:
        import tensorflow as tf

        training = tf.keras.backend.learning_phase() if training is None else training
        return bool(training) if isinstance(training, int) else training

    return _get_training_value


def unless_frozen(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap an update of moving averages to skip frozen layers."""

    @functools.wraps(original)
    def assign(self: Any, variable: Any, *args: Any, **kwargs: Any) -> Any:
        return original(self, variable, *args, **kwargs) if self.trainable else variable

    return assign
