"""``BatchNormalization`` with ``trainable=False`` as TensorFlow 1 and Keras 2.2.4 had it.

In training a frozen one still normalised by the statistics of the batch, and left its own averages
as they were. TensorFlow 2 runs it as in inference.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def training_value(original: Callable[..., Any]) -> Callable[..., Any]:
    """Whether it trains: what it is told, frozen or not."""

    @functools.wraps(original)
    def _get_training_value(self: Any, training: Any = None) -> Any:
        import tensorflow as tf

        training = tf.keras.backend.learning_phase() if training is None else training
        return bool(training) if isinstance(training, int) else training

    return _get_training_value


def unless_frozen(original: Callable[..., Any]) -> Callable[..., Any]:
    """A change of the averages, which those of a frozen layer are spared."""

    @functools.wraps(original)
    def assign(self: Any, variable: Any, *args: Any, **kwargs: Any) -> Any:
        return original(self, variable, *args, **kwargs) if self.trainable else variable

    return assign
