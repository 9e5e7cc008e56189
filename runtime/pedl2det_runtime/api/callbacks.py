"""Callbacks that users subclass or use (``determined.keras.callbacks``).

Follows the Determined documentation, *Keras API Reference*.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pedl2det_runtime.api.trial_info import tensorboard_directory
from pedl2det_runtime.errors.repeated_warnings import logger

_log = logger(__name__)


class Callback(tf.keras.callbacks.Callback):
    """A Keras callback with additional hooks, whose state is part of checkpoints."""

    def on_train_workload_begin(
        self, total_batches_trained: int, batches_requested: int | None, logs: dict[str, Any]
    ) -> None:
        """Called at the beginning of a workload.

        Args:
            total_batches_trained: number of batches trained so far.
            batches_requested: number of batches in the workload.
            logs: empty.
        """

    def on_train_workload_end(self, total_batches_trained: int, logs: dict[str, Any]) -> None:
        """Called at the end of a workload.

        Args:
            total_batches_trained: number of batches trained so far.
            logs: the training metrics of the workload, ``batches`` and ``epochs``.
        """

    def on_checkpoint_end(self, checkpoint_dir: str) -> None:
        """Called after a checkpoint is written. The hook may add files to it.

        Args:
            checkpoint_dir: the directory of the checkpoint.
        """

    def get_state(self) -> Any:
        """Return the state to save in a checkpoint.

        Returns:
            A pickleable object of plain data or of classes that the trial defines.
        """

    def load_state(self, state: Any) -> None:
        """Restore the state after a resume.

        Args:
            state: the value that :meth:`get_state` returned.
        """


class _ByValidation(Callback):
    """Call ``on_epoch_end`` of a Keras callback in ``on_test_end``.

    The Keras classes act at the end of an epoch, whose logs are empty in Determined. These classes
    count validations instead of epochs, and checkpoints save their counters.
    """

    _skip_epoch_end_check = True
    _saved_attributes: tuple[str, ...] = ()  # of the Keras class, in checkpoints

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._validations = 0

    def on_test_end(self, logs: Any = None) -> None:
        super().on_epoch_end(self._validations, logs)
        self._validations += 1

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        pass

    def get_state(self) -> dict[str, Any]:
        names = ("_validations", *self._saved_attributes)
        # Keras sets some attributes only when the training begins.
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

    _saved_attributes = ("wait", "stopped_epoch", "best", "best_epoch", "best_weights")


class ReduceLROnPlateau(_ByValidation, tf.keras.callbacks.ReduceLROnPlateau):
    """``tf.keras.callbacks.ReduceLROnPlateau``, checked after each validation.

    Args:
        *args: arguments of the Keras class; ``patience`` and ``cooldown`` are in validations.
        **kwargs: arguments of the Keras class.
    """

    _saved_attributes = ("wait", "best", "cooldown_counter")


class TensorBoard(tf.keras.callbacks.TensorBoard, Callback):
    """``tf.keras.callbacks.TensorBoard`` for a trial.

    ``log_dir`` is ignored: events are written to the trial's TensorBoard directory, or outside a
    run to ``runs/tensorboard``. Histograms and metrics are written at the end of each workload
    instead of each epoch.

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
        # Determined's checkpoints use the second key.
        self._workload = state.get("workload", state.get("workload_end_count", 0))


#: The name of the class before Determined 0.13.8.
TFKerasTensorBoard = TensorBoard
