"""Keras' TensorBoard callback, writing to the trial's TensorBoard directory."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pedl2det_runtime.api.callbacks.base import Callback
from pedl2det_runtime.api.trial_info import tensorboard_directory
from pedl2det_runtime.errors.repeated_warnings import logger

_log = logger(__name__)


class TensorBoard(tf.keras.callbacks.TensorBoard, Callback):
    """``tf.keras.callbacks.TensorBoard`` for a trial.

    ``log_dir`` is ignored: events are written to the trial's TensorBoard directory, or outside a
    run to ``runs/tensorboard``. Histograms and
    metrics are written at the end of each workload instead of each epoch.

    Args:
        *args: arguments of the Keras class; the first is ``log_dir``.
        **kwargs: arguments of the Keras class.
    """

    _skip_epoch_end_check = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args or "log_dir" in kwargs:
            _log.warning("TensorBoard: log_dir is ignored, events go to the trial's directory")
            kwargs.pop("log_dir", None)
        super().__init__(str(tensorboard_directory()), *args[1:], **kwargs)
        self._workload = 0

    def on_train_workload_begin(
        self, total_batches_trained: int, batches_requested: int | None, logs: dict[str, Any]
    ) -> None:
        super().on_epoch_begin(self._workload, logs)

    def on_train_workload_end(self, total_batches_trained: int, logs: dict[str, Any]) -> None:
        super().on_epoch_end(self._workload, logs)
        self._workload += 1

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        pass

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        pass

    def get_state(self) -> dict[str, int]:
        return {"workload": self._workload}

    def load_state(self, state: dict[str, int]) -> None:
        # Determined calls it otherwise in its checkpoints.
        self._workload = state.get("workload", state.get("workload_end_count", 0))


#: The name of the class before Determined 0.13.8.
TFKerasTensorBoard = TensorBoard
