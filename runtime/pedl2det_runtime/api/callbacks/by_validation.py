"""``EarlyStopping`` and ``ReduceLROnPlateau`` that act after each validation.

The Keras classes act at the end of an epoch, whose logs are empty in Determined. These count
validations instead of epochs, and their counters are part of checkpoints. Follows the Determined
documentation, *Keras API Reference*.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pedl2det_runtime.api.callbacks.base import Callback


class _ByValidation(Callback):
    """Call ``on_epoch_end`` of a Keras callback in ``on_test_end``."""

    _skip_epoch_end_check = True
    _kept: tuple[str, ...] = ()  # attributes of the Keras class that checkpoints save

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._validations = 0

    def on_test_end(self, logs: Any = None) -> None:
        super().on_epoch_end(self._validations, logs)
        self._validations += 1

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        pass

    def get_state(self) -> dict[str, Any]:
        names = ("_validations", *self._kept)  # Keras sets some when the training begins
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def load_state(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)


class EarlyStopping(_ByValidation, tf.keras.callbacks.EarlyStopping):
    """``tf.keras.callbacks.EarlyStopping``, checked after each validation.

    Args:
        *args: arguments of the Keras class; ``patience`` is in validations.
        **kwargs: arguments of the Keras class.
    """

    _kept = ("wait", "stopped_epoch", "best", "best_epoch", "best_weights")


class ReduceLROnPlateau(_ByValidation, tf.keras.callbacks.ReduceLROnPlateau):
    """``tf.keras.callbacks.ReduceLROnPlateau``, checked after each validation.

    Args:
        *args: arguments of the Keras class; ``patience`` and ``cooldown`` are in validations.
        **kwargs: arguments of the Keras class.
    """

    _kept = ("wait", "best", "cooldown_counter")
