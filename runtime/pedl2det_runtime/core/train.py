"""``context.train``: reports of metrics, one JSON object a line.

A line is ``{"kind": str, "batches": int, "metrics": {name: value}, "run": str}``: the group of
metrics, the steps that were completed, and which call of ``core.init`` wrote it.
"""

from __future__ import annotations

import json
import logging
import os
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pedl2det_runtime.core.json_values import checked_json
from pedl2det_runtime.core.modes import EarlyExitReason
from pedl2det_runtime.errors import CheckFailedError, ConfigError

_log = logging.getLogger("determined.core")


class TrainContext:
    """Reports of a training.

    Args:
        tensorboard_path: directory for TensorBoard's files.
        metrics_file: the file of the reports; None to log them alone.
    """

    def __init__(
        self, tensorboard_path: Path | None = None, metrics_file: Path | None = None
    ) -> None:
        self._tensorboard_path = tensorboard_path
        self._metrics_file = metrics_file
        self._run = uuid.uuid4().hex
        self._metadata = "{}"

    def report_training_metrics(
        self,
        steps_completed: int,
        metrics: dict[str, Any],
        batch_metrics: list[dict[str, Any]] | None = None,
    ) -> None:
        """Report training metrics.

        Args:
            steps_completed: the number of batches trained.
            metrics: the values by name.
            batch_metrics: the metrics of each batch; not written.

        Raises:
            CheckFailedError: an argument cannot be written as JSON.
        """
        del batch_metrics
        self.report_metrics("training", steps_completed, metrics)

    def report_validation_metrics(self, steps_completed: int, metrics: dict[str, Any]) -> None:
        """Report validation metrics.

        Args:
            steps_completed: the number of batches trained.
            metrics: the values by name.

        Raises:
            CheckFailedError: an argument cannot be written as JSON.
        """
        self.report_metrics("validation", steps_completed, metrics)

    def report_metrics(self, group: str, steps_completed: int, metrics: dict[str, Any]) -> None:
        """Report metrics of a group.

        Args:
            group: the name of the group.
            steps_completed: the number of batches trained.
            metrics: the values by name.

        Raises:
            CheckFailedError: an argument cannot be written as JSON.
            ConfigError: the file of the reports cannot be written.
        """
        if isinstance(steps_completed, bool) or not isinstance(steps_completed, int):
            raise CheckFailedError(
                f"steps_completed: expected a whole number, got {steps_completed!r}"
            )
        checked = json.loads(checked_json(f"metrics of {group!r}", metrics))
        record = {"kind": group, "batches": steps_completed, "metrics": checked, "run": self._run}
        _log.info("report_metrics(group=%s, steps_completed=%s)", group, steps_completed)
        if self._metrics_file is not None:
            _append(self._metrics_file, json.dumps(record))

    def report_progress(self, progress: float) -> None:
        """Log how much of the training is done, from 0 to 1."""
        _log.info("report_progress with progress=%s", progress)

    def report_early_exit(self, reason: EarlyExitReason) -> None:
        """Log why the training ends early."""
        _log.info("report_early_exit(%s)", reason)

    def set_status(self, status: str) -> None:
        """Log what the training does."""
        _log.info("status: %s", status)

    def get_experiment_best_validation(self) -> float | None:
        """Return None: the metric of the searcher is not known."""
        return None

    def get_metadata(self) -> dict[str, Any]:
        """Return the metadata of :meth:`set_metadata`; empty at first."""
        return dict(json.loads(self._metadata))

    def set_metadata(self, metadata: dict[str, Any]) -> dict[str, Any]:
        """Replace the metadata of this training, which last as long as the process; return them.

        Raises:
            CheckFailedError: they cannot be written as JSON.
        """
        self._metadata = checked_json("metadata", metadata)
        return self.get_metadata()

    def get_tensorboard_path(self) -> Path | None:
        """Return the directory for TensorBoard's files."""
        return self._tensorboard_path

    def upload_tensorboard_files(
        self,
        selector: Callable[[Path], bool] = lambda _: True,
        mangler: Callable[[Path, int], Path] = lambda path, _: path,
    ) -> None:
        """Do nothing: the files are local."""
        del selector, mangler


def _append(path: Path, line: str) -> None:
    """Append a line to a file, in one write; never through a link."""

    def without_links(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_NOFOLLOW, 0o666)

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "ab", buffering=0, opener=without_links) as file:
            file.write(f"{line}\n".encode())
    except OSError as error:
        raise ConfigError(f"{path}: the report cannot be written: {error.strerror}") from None
