"""Keras' EarlyStopping and ReduceLROnPlateau, acting after validations (seed 002).

Keras asks them at the end of an epoch, whose logs are empty here. Their counters are validations
instead of epochs, and a checkpoint keeps them.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pedl2det_runtime.api.callbacks.base import Callback


class _ByValidation(Callback):
    """Makes a Keras callback's ``on_epoch_end`` happen at ``on_test_end``."""

    _skip_epoch_end_check = True
    _kept: tuple[str, ...] = ()  # what Keras' class remembers from one epoch to the next

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._validations = 0

    def on_test_end(self, logs: Any = None) -> None:
        super().on_epoch_end(self._validations, logs)
        self._validations += 1

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        pass

    def get_state(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("_validations", *self._kept)}

    def load_state(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)


class EarlyStopping(_ByValidation, tf.keras.callbacks.EarlyStopping):
    """``tf.keras.callbacks.EarlyStopping``, checked after every validation.

    Args:
        *args: as Keras' callback takes them; ``patience`` counts validations.
        **kwargs: likewise.
    """

    _kept = ("wait", "stopped_epoch", "best", "best_epoch", "best_weights")


class ReduceLROnPlateau(_ByValidation, tf.keras.callbacks.ReduceLROnPlateau):
    """``tf.keras.callbacks.ReduceLROnPlateau``, checked after every validation.

    Args:
        *args: as Keras' callback takes them; ``patience`` and ``cooldown`` count validations.
        **kwargs: likewise.
    """

    _kept = ("wait", "best", "cooldown_counter")
