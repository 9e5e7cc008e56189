"""``determined.tensorboard``: write metrics as TensorBoard events of the trial."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from pedl2det_runtime.api.batch_metrics import is_numerical_scalar
from pedl2det_runtime.api.trial_info import tensorboard_directory


def get_base_path(checkpoint_config: dict[str, Any] | None = None) -> Path:  # noqa: ARG001
    """Return the directory of TensorBoard's files."""
    return tensorboard_directory()


class MetricWriter(ABC):
    """Writes single values."""

    @abstractmethod
    def add_scalar(self, name: str, value: float, step: int) -> None:
        """Write a value.

        Args:
            name: the name of the metric.
            value: the value.
            step: the number of batches trained.
        """

    @abstractmethod
    def reset(self) -> None:
        """Start a new file."""

    @abstractmethod
    def flush(self) -> None:
        """Write what is buffered."""


class TFWriter(MetricWriter):
    """Writes values to the TensorBoard directory, with TensorFlow."""

    def __init__(self) -> None:
        self.reset()

    def add_scalar(self, name: str, value: float, step: int) -> None:
        """Write a value."""
        import tensorflow as tf

        with self.writer.as_default():
            tf.summary.scalar(name, value, step)

    def reset(self) -> None:
        """Start a new file."""
        import tensorflow as tf

        self.writer = tf.summary.create_file_writer(str(get_base_path()))

    def flush(self) -> None:
        """Write what is buffered."""
        self.writer.flush()


class BatchMetricWriter:
    """Writes the metrics of a training.

    Args:
        writer: writes each value.
    """

    def __init__(self, writer: MetricWriter) -> None:
        self.writer = writer

    def on_train_step_end(
        self,
        steps_completed: int,
        metrics: dict[str, Any],
        batch_metrics: list[dict[str, Any]] | None = None,
    ) -> None:
        """Write training metrics, with the prefix ``Determined/``.

        Args:
            steps_completed: the number of batches trained.
            metrics: the values by name.
            batch_metrics: the metrics of each batch; not used.
        """
        del batch_metrics
        self._write(steps_completed, metrics)

    def on_validation_step_end(self, steps_completed: int, metrics: dict[str, Any]) -> None:
        """Write validation metrics, with the prefix ``Determined/``.

        Args:
            steps_completed: the number of batches trained.
            metrics: the values by name.
        """
        self._write(steps_completed, metrics)

    def _write(self, steps: int, metrics: dict[str, Any]) -> None:
        for name, value in metrics.items():
            if is_numerical_scalar(value):
                self.writer.add_scalar(f"Determined/{name}", value, steps)
        self.writer.flush()


def get_metric_writer() -> BatchMetricWriter:
    """Return a writer to the TensorBoard directory."""
    return BatchMetricWriter(TFWriter())
