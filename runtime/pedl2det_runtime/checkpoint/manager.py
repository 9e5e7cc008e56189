"""Write, store and prune the checkpoints of a run: policy, retention, storage."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pedl2det_runtime.api.generation import CONTEXT_BASED, Generation
from pedl2det_runtime.checkpoint import format as checkpoint
from pedl2det_runtime.checkpoint import ownership
from pedl2det_runtime.checkpoint.rank_state import RankState
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


class CheckpointManager:
    """Writes, stores and prunes the checkpoints of one run.

    Args:
        goal: which validations are best, and which checkpoints stay.
        contents: what each checkpoint holds beside the training state.
        out: the run's directory.
        run: the UUID of the run; checkpoints of other runs are never removed.
        best: the best value of the metric so far, of a resumed run.
        records: lines of ``metrics.jsonl`` that a resumed run keeps.
        damaged: names of checkpoints that are neither stored nor count as kept.

    Attributes:
        best: the best value of the metric so far.
    """

    def __init__(
        self,
        goal: Goal,
        contents: checkpoint.Belongings,
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
        state: checkpoint.State,
        ranks: list[RankState],
        batch: Any,
        finish: Callable[[Path], None],
    ) -> None:
        """Write a checkpoint, copy it to the storage, and remove those that need not stay.

        Args:
            model: the model, with its optimizer.
            state: progress of the run.
            ranks: state of each rank.
            batch: what a batch is, from :func:`~.model_files.described_batch`.
            finish: may add files to the checkpoint's directory before it is complete.

        Raises:
            CheckpointError: the disk or the storage refused.
        """
        path = checkpoint.save(
            self._directory,
            model,
            state,
            ranks,
            run=self._run,
            belongings=replace(self.contents, batch=batch),
            finish=finish,
        )
        if self._goal.storage:
            self._goal.storage.put(path)
        self.prune(training=True)

    def prune(self, *, training: bool) -> None:
        """Remove the checkpoints of this run that need not stay.

        One to which somebody added a file stays.

        Args:
            training: whether training goes on.
        """
        if self._goal.retention is None:
            return
        present = self._present()
        for name in superseded(present, self._values, self._goal.retention, training=training):
            path = self._directory / name
            if not checkpoint.holds_only_own_files(path):
                continue
            ownership.remove(path)
            if self._goal.storage:
                self._goal.storage.remove(ownership.Owner(name, self._run))

    def _present(self) -> dict[str, int]:
        """Batches of the run's checkpoints that are not known to be damaged, by name."""
        found = checkpoint.steps_of_run(self._directory, self._run)
        return {name: batches for name, batches in found.items() if name not in self._damaged}


def _validations(log: Path, goal: Goal, records: int) -> dict[int, float]:
    lines = log.read_text().splitlines()[:records] if records and log.exists() else []
    reports = [json.loads(line) for line in lines]
    values = {
        report["batches"]: goal.value(report["metrics"])
        for report in reports
        if report["kind"] == "validation"
    }
    return {batches: value for batches, value in values.items() if value is not None}
