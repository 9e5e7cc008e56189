"""The base class of callbacks with hooks for workloads and checkpoints.

Follows the Determined documentation, *Keras API Reference*.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf


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
        """Called when a checkpoint was written. The hook may add files to it.

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
