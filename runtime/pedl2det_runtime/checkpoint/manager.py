"""Write, store and prune the checkpoints of a run: policy, retention, storage."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pedl2det_runtime.api.generation import CONTEXT_BASED, Generation
from pedl2det_runtime.checkpoint import directory as checkpoint_directory
from pedl2det_runtime.checkpoint import ownership, writer
from pedl2det_runtime.checkpoint.rank_state import RankState
from pedl2det_runtime.checkpoint.retention import Retention, superseded
from pedl2det_runtime.checkpoint.state import State
from pedl2det_runtime.checkpoint.storage import Storage
from pedl2det_runtime.checkpoint.writer import Contents
from pedl2det_runtime.errors import MetricError


@dataclass(frozen=True)
class Goal:
    """The metric to optimize, and which checkpoints to write and keep.

    Attributes:
        metric: the searcher's metric.
        smaller_is_better: whether a smaller value of the metric is better.
        policy: the validations after which to write a checkpoint: best, all or none.
        retention: which checkpoints to keep; None keeps all.
        storage: where to copy checkpoints; None copies none.
        generation: defines aliases of metric names.
    """

    metric: str
    smaller_is_better: bool
    policy: str
    retention: Retention | None = None
    storage: Storage | None = None
    generation: Generation = CONTEXT_BASED

    def value(self, metrics: dict[str, float]) -> float | None:
        """Return the searcher's metric among validation metrics; None if it is missing."""
        return self.generation.with_aliases(metrics).get(self.metric)


class CheckpointManager:
    """Write, store and prune the checkpoints of one run.

    Args:
        goal: the metric, and which checkpoints to write and keep.
        contents: what each checkpoint contains beside the training state.
        out: the run's directory.
        run: the UUID of the run. Checkpoints of other runs are never removed.
        best: the best value of the metric before a resume.
        records: lines of ``metrics.jsonl`` before a resume.
        damaged: names of damaged checkpoints, which are neither stored nor counted nor removed.

    Attributes:
        best: the best value of the metric so far.
    """

    def __init__(
        self,
        goal: Goal,
        contents: Contents,
        out: Path,
        run: str,
        *,
        best: float | None = None,
        records: int = 0,
        damaged: frozenset[str] = frozenset(),
    ) -> None:
        self.best = best
        self._directory = out / "checkpoints"
        self._run = run
        self._goal = goal
        self.contents = contents
        self._damaged = damaged
        self._values = _validations(out / "metrics.jsonl", goal, records)

    def wants(self, batches: int, metrics: dict[str, float]) -> bool:
        """Return whether to write a checkpoint after this validation.

        Raises:
            MetricError: the searcher's metric is not among the metrics.
        """
        goal = self._goal
        value = goal.value(metrics)
        if value is None:
            raise MetricError(
                f"searcher.metric: {goal.metric} is none of the numbers that the validation "
                f"reports: {', '.join(metrics)}"
            )
        self._values[batches] = value
        is_best = self.best is None or (
            (math.isnan(self.best) and not math.isnan(value))
            or (value < self.best if goal.smaller_is_better else value > self.best)
        )
        if is_best:
            self.best = value
        return goal.policy == "all" or (goal.policy == "best" and is_best)

    def catch_up(self) -> None:
        """Remove checkpoints left incomplete by a kill, and store those not stored yet.

        Raises:
            CheckpointError: a copy to the storage failed.
        """
        for path in ownership.half_written(self._directory):
            ownership.remove(path)
        ownership.remove_empty(self._directory)
        if self._goal.storage:
            stored = self._goal.storage.names()
            for name in self._present().keys() - stored:
                self._goal.storage.put(self._directory / name)

    def save(
        self,
        model: Any,
        state: State,
        ranks: list[RankState],
        batch: Any,
        finish: Callable[[Path], None],
    ) -> None:
        """Write a checkpoint, copy it to the storage, and remove superseded checkpoints.

        Args:
            model: the model, with its optimizer.
            state: training state of the run.
            ranks: state of each rank.
            batch: the batch spec, from :func:`~.model_files.described_batch`.
            finish: may add files to the checkpoint's directory before it is complete.

        Raises:
            CheckpointError: the checkpoint could not be written or copied.
        """
        path = writer.save(
            self._directory,
            model,
            state,
            ranks,
            run=self._run,
            contents=replace(self.contents, batch=batch),
            finish=finish,
        )
        if self._goal.storage:
            self._goal.storage.put(path)
        self.prune(training=True)

    def prune(self, *, training: bool) -> None:
        """Remove the superseded checkpoints of this run, except those with foreign files.

        Args:
            training: whether training continues.
        """
        if self._goal.retention is None:
            return
        present = self._present()
        for name in superseded(present, self._values, self._goal.retention, training=training):
            path = self._directory / name
            if not checkpoint_directory.holds_only_own_files(path):
                continue
            ownership.remove(path)
            if self._goal.storage:
                self._goal.storage.remove(ownership.Owner(name, self._run))

    def _present(self) -> dict[str, int]:
        """Return the batches of the run's undamaged checkpoints, by name."""
        present = checkpoint_directory.steps_of_run(self._directory, self._run)
        return {name: batches for name, batches in present.items() if name not in self._damaged}


def _validations(log: Path, goal: Goal, records: int) -> dict[int, float]:
    lines = log.read_text().splitlines()[:records] if records and log.exists() else []
    reports = [json.loads(line) for line in lines]
    values = {
        report["batches"]: goal.value(report["metrics"])
        for report in reports
        if report["kind"] == "validation"
    }
    return {batches: value for batches, value in values.items() if value is not None}
