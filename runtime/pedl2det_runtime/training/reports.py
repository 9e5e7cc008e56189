"""Write what a run reports: ``metrics.jsonl``, ``batches.jsonl`` and TensorBoard events."""

from __future__ import annotations

import uuid
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pedl2det_runtime.backends.learning_rates import LearningRates
from pedl2det_runtime.checkpoint.json_lines import BATCH, REPORT, JsonLines, Metrics
from pedl2det_runtime.training.display import Report


class Reports:
    """The reports of a run; a resumed run keeps the first ``keep`` lines of ``metrics.jsonl``."""

    def __init__(self, directory: Path, keep: int) -> None:
        import tensorflow as tf

        self._log = JsonLines(directory / "metrics.jsonl", REPORT, keep)
        with tf.Graph().as_default():  # the one writer that eager and graph mode both have
            self._events = tf.compat.v1.summary.FileWriter(
                directory / "tensorboard" / "metrics",
                filename_suffix=f".{uuid.uuid4()}",  # two files may have the same time
            )

    @property
    def written(self) -> int:
        """The number of lines in ``metrics.jsonl``."""
        return self._log.written

    def write(self, report: Report) -> None:
        """Write the metrics of a workload or a validation."""
        import tensorflow as tf

        record = asdict(report)
        del record["is_best"]  # only for the display: a later one may be better
        self._log.write(record)
        values = [
            tf.compat.v1.Summary.Value(tag=f"{report.kind}/{name}", simple_value=value)
            for name, value in report.metrics.items()
        ]
        self._events.add_summary(tf.compat.v1.Summary(value=values), report.batches)

    def check(self) -> None:
        """Raise an error if reported lines are lost."""
        self._log.check()

    def sync(self) -> None:
        """Write the reports to the disk."""
        self._log.sync()
        self._events.flush()


class Trace:
    """Writes a line for each batch to ``batches.jsonl``: its metrics and learning rates."""

    def __init__(self, directory: Path, keep: int, model: Any) -> None:
        self._log = JsonLines(directory / "batches.jsonl", BATCH, keep)
        self._learning_rates = LearningRates(model)
        self._batch_rates: dict[str, float] = {}

    def begin_batch(self) -> None:
        """Read the learning rates; a callback may change them after the batch."""
        self._batch_rates = self._learning_rates.read()

    def end_batch(self, number: int, metrics: Metrics) -> None:
        """Write the line of a batch; numbers begin with 1."""
        record = {"batch": number, "metrics": metrics, "learning_rates": self._batch_rates}
        self._log.write(record)
