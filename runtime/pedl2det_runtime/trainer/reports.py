"""What a run reports: ``metrics.jsonl``, TensorBoard events and lines for people.

A line of ``metrics.jsonl`` is
``{"kind": "training"|"validation", "batches": int, "epochs": float, "metrics": {name: float}}``.
"""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pedl2det_runtime.backends.learning_rates import LearningRates
from pedl2det_runtime.checkpoint import ownership
from pedl2det_runtime.errors import ConfigError
from pedl2det_runtime.trainer.display import Display, Nothing, Report

if TYPE_CHECKING:
    from pedl2det_runtime.trainer.resolved_run import Run

Metrics = dict[str, float]

#: The keys of a line of ``metrics.jsonl``, and of ``batches.jsonl``.
REPORT = ("kind", "batches", "epochs", "metrics")
BATCH = ("batch", "metrics", "learning_rates")
_NO_NUMBERS = "OSUMmc"  # NumPy's kinds of objects such as None, texts, times and complex numbers


def scalars(logs: dict[str, Any]) -> Metrics:
    """The metrics that are single numbers, as floats that hold every bit of them."""
    found = numbers(logs)
    return {name: float(value.item()) for name, value in found.items() if value.size == 1}


def numbers(logs: dict[str, Any]) -> dict[str, np.ndarray[Any, Any]]:
    """The metrics that are numbers or arrays of them."""
    values = {name: np.asarray(value) for name, value in logs.items()}
    return {name: value for name, value in values.items() if value.dtype.kind not in _NO_NUMBERS}


def written_lines(path: Path, keys: tuple[str, ...]) -> list[bytes]:
    """The lines of a log that a run wrote, without one that a kill cut off.

    Args:
        path: the log; it need not exist.
        keys: the keys of the object in each line, in order.

    Raises:
        ConfigError: it is a link, or holds something else.
    """
    ownership.refuse_foreign(path, directory=False)
    if not path.exists():
        return []
    *lines, rest = path.read_bytes().split(b"\n")
    start = f'{{"{keys[0]}": '.encode()
    rest = rest.rstrip(b"\0")  # a power failure leaves these
    is_ours = start.startswith(rest[: len(start)]) and all(_has_keys(line, keys) for line in lines)
    if not is_ours:
        raise ConfigError(
            f"{path}: pedl2det did not write this, and does not write into it: move it away, "
            "or choose another directory with --out"
        )
    return [line + b"\n" for line in lines]


def _has_keys(line: bytes, keys: tuple[str, ...]) -> bool:
    try:
        found = json.loads(line)
    except ValueError:
        return False
    return isinstance(found, dict) and tuple(found) == keys


class JsonLines:
    """A file of one JSON object a line, cut back to what a checkpoint knew of it.

    Args:
        path: the file.
        keys: the keys of each object, in order.
        keep: how many lines of it stay; a resumed run writes the later ones again.

    Raises:
        ConfigError: pedl2det did not write what is in the file.
    """

    def __init__(self, path: Path, keys: tuple[str, ...], keep: int = 0) -> None:
        lines = written_lines(path, keys)[:keep]
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        self._file = os.fdopen(os.open(path, flags, 0o666), "a", encoding="utf-8")
        self._file.truncate(sum(map(len, lines)))
        self._path = path
        self._size = sum(map(len, lines))  # in bytes
        self.written = len(lines)

    def write(self, record: dict[str, Any]) -> None:
        """Append one object.

        Raises:
            ConfigError: the file is no longer what this run has written.
        """
        self.check()
        line = json.dumps(record) + "\n"
        self._file.write(line)
        self._file.flush()
        self._size += len(line)  # JSON is ASCII
        self.written += 1

    def check(self) -> None:
        """Refuse to go on without what was written.

        Raises:
            ConfigError: the file was removed, replaced or cut.
        """
        try:
            at_path, own = self._path.lstat(), os.fstat(self._file.fileno())
            is_there = os.path.samestat(at_path, own)
        except FileNotFoundError:
            is_there = False
        if not is_there or own.st_size < self._size:
            what = "cut" if is_there else "removed or replaced"
            raise ConfigError(
                f"{self._path}: was {what} while the run wrote it; the run ends here, because "
                "its results would be lost: start it anew, or put the files back and --resume"
            )

    def sync(self) -> None:
        """Put what was written on the disk."""
        os.fsync(self._file.fileno())


class Reports:
    """Where the metrics of a run go.

    Args:
        directory: the run's directory.
        keep: lines of ``metrics.jsonl`` that a resumed run keeps.
        display: shows them to people.
        total: batches of the whole trial.
    """

    def __init__(self, directory: Path, keep: int, display: Display, total: int) -> None:
        import tensorflow as tf

        self._log = JsonLines(directory / "metrics.jsonl", REPORT, keep)
        with tf.Graph().as_default():  # the one writer that eager and graph mode both have
            self._events = tf.compat.v1.summary.FileWriter(
                directory / "tensorboard" / "metrics",
                filename_suffix=f".{uuid.uuid4()}",  # else the second, which may be taken
            )
        self._display = display
        self._total = total

    @property
    def written(self) -> int:
        """Lines in ``metrics.jsonl``."""
        return self._log.written

    def advance(self, batches: int) -> None:
        """Show how many batches are trained."""
        self._display.advance(batches, self._total)

    def report(self, report: Report) -> None:
        """Report the metrics of a workload or a validation."""
        import tensorflow as tf

        record = asdict(report)
        del record["is_best"]  # as of this moment: only for people
        self._log.write(record)
        values = [
            tf.compat.v1.Summary.Value(tag=f"{report.kind}/{name}", simple_value=value)
            for name, value in report.metrics.items()
        ]
        self._events.add_summary(tf.compat.v1.Summary(value=values), report.batches)
        self._display.report(report, self._total)

    def check(self) -> None:
        """Refuse to go on without what was reported.

        Raises:
            ConfigError: ``metrics.jsonl`` was removed, replaced or cut.
        """
        self._log.check()

    def sync(self) -> None:
        """Put what was reported on the disk."""
        self._log.sync()
        self._events.flush()


class NoReports:
    """The reports of a process that reports nothing: the chief does."""

    written = 0

    def advance(self, batches: int) -> None:
        """Show nothing."""

    def report(self, report: Report) -> None:
        """Report nothing."""

    def check(self) -> None:
        """Nothing is written."""

    def sync(self) -> None:
        """Nothing is written."""


def reports_of(run: Run, total: int, *, verbose: bool) -> Reports:
    """The reports of a run, after those that its checkpoint counts.

    Args:
        run: the run; to be called on its chief.
        total: batches of the whole trial.
        verbose: whether reports are shown to people, too.
    """
    state = run.resume_point.state
    display = run.display if verbose else Nothing()
    return Reports(run.out, state.records if state else 0, display, total)


class Trace:
    """Writes a line for each batch to ``batches.jsonl``: its metrics and learning rates.

    Args:
        log: the file.
        model: the model, compiled.
    """

    def __init__(self, log: JsonLines, model: Any) -> None:
        self._log = log
        self._learning_rates = LearningRates(model)
        self._of_batch: dict[str, float] = {}

    def begin_batch(self) -> None:
        """Read the learning rates; a callback may change them after the batch."""
        self._of_batch = self._learning_rates.read()

    def end_batch(self, number: int, metrics: Metrics) -> None:
        """Write the line of a batch.

        Args:
            number: the number of the batch, from 1.
            metrics: its metrics.
        """
        record = {"batch": number, "metrics": metrics, "learning_rates": self._of_batch}
        self._log.write(record)


def trace_of(run: Run, batches: int, model: Any) -> Trace | None:
    """Return what writes ``batches.jsonl``; None if nobody wants it.

    Args:
        run: the run; to be called on its chief.
        batches: the lines that a resumed run keeps.
        model: the model, compiled.
    """
    if not run.traces:
        return None
    return Trace(JsonLines(run.out / "batches.jsonl", BATCH, batches), model)
