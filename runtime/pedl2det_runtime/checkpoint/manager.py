"""Write, store and prune the checkpoints of a run: policy, retention, storage."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from concurrent import futures
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pedl2det_runtime.checkpoint import directory as checkpoint_directory
from pedl2det_runtime.checkpoint import ownership, writer
from pedl2det_runtime.checkpoint.json_lines import REPORT, read_lines
from pedl2det_runtime.checkpoint.state import RankState, State
from pedl2det_runtime.checkpoint.storage import Storage
from pedl2det_runtime.checkpoint.writer import Contents, Unfinished
from pedl2det_runtime.config.generation import CONTEXT_BASED, Generation
from pedl2det_runtime.errors import MetricError


@dataclass(frozen=True)
class Retention:
    """The number of checkpoints to keep."""

    best: int  #: number of checkpoints with the best validation metric
    latest: int  #: number of checkpoints with the most batches
    smaller_is_better: bool  #: whether a smaller metric is better


def superseded(
    checkpoints: Mapping[str, int],
    validations: Mapping[int, float],
    keep: Retention,
    *,
    training: bool,
) -> set[str]:
    """Return the names of checkpoints that are neither among the best nor among the latest.

    Pruning after every checkpoint keeps the same checkpoints as pruning once at the end: a
    checkpoint that is not among the best so far is not among the best later. While training
    continues, the latest one is kept for a resume.

    ``checkpoints`` has the batches of each, ``validations`` the searcher's metric at each batch.
    """
    by_batches = sorted(checkpoints, key=lambda name: checkpoints[name], reverse=True)
    ranked = [
        name for name in by_batches if not math.isnan(validations.get(checkpoints[name], math.nan))
    ]
    sign = 1 if keep.smaller_is_better else -1
    # The earlier of two equal checkpoints is better, as in the policy "best".
    ranked.sort(key=lambda name: (sign * validations[checkpoints[name]], checkpoints[name]))
    latest = max(keep.latest, 1) if training else keep.latest
    return set(checkpoints) - set(ranked[: keep.best]) - set(by_batches[:latest])


@dataclass(frozen=True)
class Best:
    """The best validation of a run."""

    metric: str  #: the searcher's metric
    value: float  #: its value
    batches: int  #: batches trained before it
    checkpoint: str | None  #: the name of the checkpoint of that batch; None if there is none


@dataclass(frozen=True)
class Goal:
    """The metric to optimize, and which checkpoints to write and keep."""

    metric: str  #: the searcher's metric
    smaller_is_better: bool  #: whether a smaller value of the metric is better
    policy: str  #: the validations after which to write a checkpoint: best, all or none
    retention: Retention | None = None  #: which checkpoints to keep; None keeps all
    storage: Storage | None = None  #: where to copy checkpoints; None copies none
    generation: Generation = CONTEXT_BASED  #: defines aliases of metric names

    def value(self, metrics: dict[str, float]) -> float | None:
        """Return the searcher's metric among validation metrics; None if it is missing."""
        return self.generation.with_aliases(metrics).get(self.metric)


class CheckpointManager:
    """Write, store and prune the checkpoints of one run, which has a UUID.

    Checkpoints of other runs are never removed. Those whose names are in ``damaged`` are neither
    stored nor counted nor removed. ``state`` is that from which the run continues.
    """

    def __init__(
        self,
        goal: Goal,
        contents: Contents,
        out: Path,
        run: str,
        state: State,
        damaged: frozenset[str],
    ) -> None:
        self.best = state.best  #: the best value of the metric so far
        self._directory = out / "checkpoints"
        self._run = run
        self._goal = goal
        self.contents = contents
        self._damaged = damaged
        self._completion: futures.Future[None] | None = None
        self._values = read_validations(out / "metrics.jsonl", goal, state.records)

    def record_validation(self, batches: int, metrics: dict[str, float]) -> bool:
        """Record a validation, and return whether to write a checkpoint after it."""
        goal = self._goal
        value = goal.value(metrics)
        if value is None:
            raise MetricError(
                f"searcher.metric: {goal.metric} is none of the numbers that the validation "
                f"reports: {', '.join(metrics)}"
            )
        self._values[batches] = value
        is_best = self.is_best(metrics)
        if is_best:
            self.best = value
        return goal.policy == "all" or (goal.policy == "best" and is_best)

    def is_best(self, metrics: dict[str, float]) -> bool:
        """Return whether a validation is better than all before it."""
        value = self._goal.value(metrics)
        if value is None or self.best is None:
            return value is not None
        if math.isnan(self.best):
            return not math.isnan(value)
        return value < self.best if self._goal.smaller_is_better else value > self.best

    def best_validation(self) -> Best | None:
        """Return the best validation; None if there is none that is a number."""
        batches = next((at for at, value in self._values.items() if value == self.best), None)
        if self.best is None or batches is None:
            return None
        checkpoint = next((name for name, at in self._present().items() if at == batches), None)
        return Best(self._goal.metric, self.best, batches, checkpoint)

    def value_at(self, batches: int) -> float | None:
        """Return the searcher's metric of the validation at a batch; None if there was none."""
        return self._values.get(batches)

    def catch_up(self) -> None:
        """Remove checkpoints left incomplete by a kill, and store those not stored yet."""
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
        """Write a checkpoint; in the background, complete and store it, and remove superseded ones.

        The one before is completed first.

        Raises:
            CheckpointError: this checkpoint could not be written, or the one before not be
                completed or copied.
        """
        self.wait()
        unfinished = writer.save(
            self._directory,
            model,
            state,
            ranks,
            run=self._run,
            contents=replace(self.contents, batch=batch),
            finish=finish,
        )
        values = dict(self._values)
        background = futures.ThreadPoolExecutor(1, thread_name_prefix="checkpoint")
        self._completion = background.submit(self._complete, unfinished, values)
        background.shutdown(wait=False)

    def wait(self) -> None:
        """Wait until the last checkpoint is complete, stored, and has replaced others.

        Raises:
            CheckpointError: it could not be completed or copied.
        """
        completion, self._completion = self._completion, None
        if completion is not None:
            completion.result()

    def _complete(self, unfinished: Unfinished, values: dict[int, float]) -> None:
        path = unfinished.complete()
        if self._goal.storage:
            self._goal.storage.put(path)
        self._prune(values, training=True)

    def close(self) -> None:
        """Wait for the last checkpoint after an error, and ignore whether it failed, too."""
        if self._completion is not None:
            futures.wait([self._completion])

    def prune(self, *, training: bool) -> None:
        """Remove superseded checkpoints, after the last one is complete."""
        self.wait()
        self._prune(self._values, training=training)

    def _prune(self, values: dict[int, float], *, training: bool) -> None:
        """Remove superseded checkpoints of this run, except those with foreign files."""
        if self._goal.retention is None:
            return
        present = self._present()
        for name in superseded(present, values, self._goal.retention, training=training):
            path = self._directory / name
            if not checkpoint_directory.holds_only_own_files(path):
                continue
            ownership.remove(path)
            if self._goal.storage:
                self._goal.storage.remove(ownership.Owner(name, self._run))

    def _present(self) -> dict[str, int]:
        """Return the batches of the run's undamaged checkpoints, by name."""
        return {
            name: batches
            for name, batches in checkpoint_directory.steps(self._directory).items()
            if name not in self._damaged
            and ownership.read_owner(self._directory / name) == ownership.Owner(name, self._run)
        }


def read_validations(log: Path, goal: Goal, records: int | None = None) -> dict[int, float]:
    """Return the searcher's metric of each validation in the first ``records`` of a log."""
    reports = [json.loads(line) for line in read_lines(log, REPORT)[:records]]
    values = {
        report["batches"]: goal.value(report["metrics"])
        for report in reports
        if report["kind"] == "validation"
    }
    return {batches: float(value) for batches, value in values.items() if value is not None}
