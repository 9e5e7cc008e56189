"""Which checkpoints a run takes and keeps: its policy, its retention, its storage."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

from pedl2det_runtime.api.generation import CONTEXT_BASED, Generation
from pedl2det_runtime.checkpoint import format as checkpoint
from pedl2det_runtime.checkpoint import ownership
from pedl2det_runtime.checkpoint.retention import Retention, superseded
from pedl2det_runtime.checkpoint.storage import Storage
from pedl2det_runtime.errors import MetricError


@dataclass(frozen=True)
class Goal:
    """What makes one model better than another, and what becomes of its checkpoint.

    Attributes:
        metric: the searcher's metric.
        smaller_is_better: whether a smaller value of it is better.
        policy: which validations are followed by a checkpoint: best, all or none.
        retention: which checkpoints stay, or None for all.
        storage: where they are kept beside the run's directory, or None.
        generation: says by which other names the metric may be known.
    """

    metric: str
    smaller_is_better: bool
    policy: str
    retention: Retention | None = None
    storage: Storage | None = None
    generation: Generation = CONTEXT_BASED

    def value(self, metrics: dict[str, float]) -> float | None:
        """The searcher's metric in what a validation reported; None if it is not there."""
        return self.generation.with_aliases(metrics).get(self.metric)


class Keeper:
    """Judges validations and looks after the checkpoints of one run.

    Args:
        goal: what makes a model better.
        out: the run's directory.
        best: the best value so far, of a resumed run.
        records: how many lines of the reports belong to the resumed run.
        run: the UUID of the run; no checkpoint of another is removed.

    Attributes:
        directory: where the checkpoints are.
        run: the UUID of the run.
        best: the best value of the metric so far.
    """

    def __init__(self, goal: Goal, out: Path, best: float | None, records: int, run: str) -> None:
        self.directory = out / "checkpoints"
        self.run = run
        self.best = best
        self._goal = goal
        self._values = _validations(out / "metrics.jsonl", goal, records)

    def wants(self, batches: int, metrics: dict[str, float]) -> bool:
        """Whether the policy asks for a checkpoint after this validation.

        Raises:
            MetricError: the searcher's metric is not among the metrics.
        """
        goal = self._goal
        value = goal.value(metrics)
        if value is None:
            raise MetricError(
                f"searcher.metric: the validation reports {', '.join(metrics)}; "
                f"there is no single number {goal.metric}"
            )
        self._values[batches] = value
        ahead = self.best is None or (
            (math.isnan(self.best) and not math.isnan(value))
            or (value < self.best if goal.smaller_is_better else value > self.best)
        )
        if ahead:
            self.best = value
        return goal.policy == "all" or (goal.policy == "best" and ahead)

    def catch_up(self) -> None:
        """Remove what a kill left half-written, and store what it kept from being stored.

        Raises:
            CheckpointError: the storage refused.
        """
        for path in ownership.half_written(self.directory):
            ownership.remove(path)
        if self._goal.storage:
            stored = self._goal.storage.names()
            for name in checkpoint.steps_of_run(self.directory, self.run).keys() - stored:
                self._goal.storage.put(self.directory / name)

    def store(self, path: Path) -> None:
        """Copy a checkpoint to the storage, if there is one.

        Raises:
            CheckpointError: the storage refused.
        """
        if self._goal.storage:
            self._goal.storage.put(path)

    def prune(self, *, training: bool) -> None:
        """Remove the checkpoints of this run that need not stay.

        One to which somebody added a file stays.

        Args:
            training: whether training goes on.
        """
        if self._goal.retention is None:
            return
        present = checkpoint.steps_of_run(self.directory, self.run)
        for name in superseded(present, self._values, self._goal.retention, training=training):
            path = self.directory / name
            if not checkpoint.holds_only_own_files(path):
                continue
            ownership.remove(path)
            if self._goal.storage:
                self._goal.storage.remove(ownership.Owner(name, self.run))


def _validations(log: Path, goal: Goal, records: int) -> dict[int, float]:
    lines = log.read_text().splitlines()[:records] if records and log.exists() else []
    reports = [json.loads(line) for line in lines]
    values = {
        report["batches"]: goal.value(report["metrics"])
        for report in reports
        if report["kind"] == "validation"
    }
    return {batches: value for batches, value in values.items() if value is not None}
