"""Run a search: take trials from the study, train each to its rungs, record what they reach."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pedl2det_runtime.config import yaml12
from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.search.plan import Point
from pedl2det_runtime.search.study import Result, Study
from pedl2det_runtime.search.trial_process import Reached, TrialProcesses
from pedl2det_runtime.training import run_lock
from pedl2det_runtime.training.options import RunOptions


@dataclass(frozen=True)
class Search:
    """A search in one process, which starts the processes of its trials.

    Attributes:
        config: the experiment config.
        options: how each trial is run; ``out`` is the directory of the search.
        study: the record of the search.
        jobs: trials at a time.
        say: prints a line for people.
        processes: the running trials.
    """

    config: ExperimentConfig
    options: RunOptions
    study: Study
    jobs: int
    say: Callable[[str], None]
    processes: TrialProcesses

    def run(self) -> None:
        """Train all trials that are left; return when they are over, or were stopped."""
        taken: set[int] = set()
        lock = threading.Lock()

        def work() -> None:
            while True:
                with lock:
                    point = self.study.take(taken)
                    if point is None:
                        return
                    taken.add(point.number)
                if not self._train(point):
                    return

        with ThreadPoolExecutor(self.jobs) as pool:
            for one in [pool.submit(work) for _ in range(self.jobs)]:
                one.result()

    def _train(self, point: Point) -> bool:
        """Train one trial; return False if a signal stopped it."""
        for batches in self.study.rungs_left(point):
            reached = self._to_rung(point, batches)
            if reached.was_stopped:
                return False
            if reached.error:
                self.study.end(point, {"error": reached.error})
                self.say(f"trial {point.number}: failed: {reached.error}")
                return True
            value = float("nan") if reached.last is None else reached.last
            goes_on = self.study.report(point, batches, value)
            ended = reached.batches < batches  # its own callback stopped it
            if not goes_on or ended:
                is_early = batches < point.rungs[-1] and not ended
                result = asdict(reached)
                kept = {name: result[name] for name in ("best", "best_batch", "checkpoint")}
                self.study.end(point, kept, stopped=is_early)
                word = "stops" if is_early else "finished"
                self.say(f"trial {point.number}: batch {reached.batches}: {value:.6g}, {word}")
                return True
            self.say(f"trial {point.number}: batch {batches}: {value:.6g}, goes on")
        return True

    def _to_rung(self, point: Point, batches: int) -> Reached:
        """Train a trial to a rung; one that fails is started again, as ``max_restarts`` says."""
        out = self.options.out / "trials" / f"{point.number:04}"
        config = self.config_file(point)
        options = replace(self.options, out=out, config=config, max_batches=batches)
        log = self.options.out / "logs" / f"{point.number:04}.txt"
        log.parent.mkdir(exist_ok=True)
        self.say(f"trial {point.number}: trains to batch {batches}")
        before = ""
        for _ in range(self.config.max_restarts + 1):
            reached = self.processes.train(options, log)
            if not reached.error or reached.error == before:
                return reached
            before = reached.error
        return reached

    def config_file(self, point: Point) -> Path:
        """Write the config of one trial, with its hyperparameters as constants."""
        path = self.options.out / "configs" / f"{point.number:04}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        run_lock.write_private(path, constant_config(self.config, point))
        return path


def constant_config(config: ExperimentConfig, point: Point) -> str:
    """Return a config, as YAML, that trains one point of a search."""
    seeds = {**(config.raw.get("reproducibility") or {}), "experiment_seed": point.seed}
    hparams = {name: _constant(value) for name, value in point.hparams.items()}
    changed = {**config.raw, "hyperparameters": hparams, "reproducibility": seeds}
    if isinstance(storage := config.raw.get("checkpoint_storage"), dict):
        kept = max(storage.get("save_trial_latest") or 0, 1)  # from which it goes on
        changed["checkpoint_storage"] = {**storage, "save_trial_latest": kept}
    return yaml12.block(changed)


def _constant(value: Any) -> Any:
    """A hyperparameter that does not vary; a mapping may look like one that does."""
    return {"type": "const", "val": value} if isinstance(value, dict) and "type" in value else value


def best_of(results: list[Result], *, smaller_is_better: bool) -> Result | None:
    """Return the trial with the best metric; None if no trial has one."""
    found = [one for one in results if one.best is not None and not math.isnan(one.best)]
    choose = min if smaller_is_better else max
    return choose(found, key=lambda one: one.best or 0.0, default=None)
