"""The base class of callbacks that know of workloads and checkpoints (seed 002)."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


class Callback(tf.keras.callbacks.Callback):
    """A Keras callback with further hooks, whose state is kept in checkpoints."""

    def on_train_workload_begin(
        self, total_batches_trained: int, batches_requested: int | None, logs: dict[str, Any]
    ) -> None:
        """Called before a chunk of training.

        Args:
            total_batches_trained: batches trained when the workload begins.
            batches_requested: batches that the workload is expected to train.
            logs: empty.
        """

    def on_train_workload_end(self, total_batches_trained: int, logs: dict[str, Any]) -> None:
        """Called after a chunk of training.

        Args:
            total_batches_trained: batches trained when the workload ends.
            logs: the training metrics of the workload.
        """

    def on_checkpoint_end(self, checkpoint_dir: str) -> None:
        """Called when a checkpoint has been written; files may be added to it.

        Args:
            checkpoint_dir: the checkpoint's directory.
        """

    def get_state(self) -> Any:
        """A pickleable object that :meth:`load_state` will be given after a resume."""

    def load_state(self, state: Any) -> None:
        """Take back what :meth:`get_state` gave."""
