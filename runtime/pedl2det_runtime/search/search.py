"""Run a search: train each trial of the study, in a process of its own, rung by rung."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from pedl2det_runtime.config import yaml12
from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.errors import ConfigError
from pedl2det_runtime.search.plan import Point
from pedl2det_runtime.search.study import Result, Study
from pedl2det_runtime.training import run_lock, run_record
from pedl2det_runtime.training.run_options import RunOptions
from pedl2det_runtime.training.signals import end_with_parent

_STOPPED = (130, 143)  # exit codes of a run that a signal ended
_LONGEST_END = 120.0  # seconds until the run of a killed search has ended


@dataclass(frozen=True)
class Reached:
    """How a training up to a rung ended."""

    batches: int = 0  #: batches trained
    #: the searcher's metric of the last validation; None if there was none
    last: float | None = None
    best: float | None = None  #: the best value of it; None if there was none
    best_batch: int | None = None  #: the batch of that validation
    checkpoint: str | None = None  #: the path of its checkpoint; None if there is none
    error: str = ""  #: the last line on stderr, if it failed
    was_stopped: bool = False  #: whether a signal stopped it


@dataclass
class TrialProcesses:
    """The running processes of a search; a signal stops them all."""

    _running: set[subprocess.Popen[str]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stopped: bool = False

    def train(self, options: RunOptions, log: Path) -> Reached:
        """Train a trial up to ``options.max_batches``, from its last checkpoint if it has one.

        Args:
            options: what to train; its ``out`` may hold an interrupted run.
            log: the file that gets what the run prints.
        """
        _wait_for(options.out)
        options = replace(options, resume=options.out.is_dir())
        command = [sys.executable, "-m", "pedl2det", "run", *options.arguments()]
        process = self._start(command)
        if process is None:
            return Reached(was_stopped=True)
        output, errors = process.communicate()
        with log.open("a", encoding="utf-8") as file:
            file.write(output + errors)
        with self._lock:
            self._running.discard(process)
        if process.returncode in _STOPPED or (process.returncode and self._stopped):
            return Reached(was_stopped=True)
        if process.returncode:
            lines = errors.strip().splitlines() or [f"exit code {process.returncode}"]
            return Reached(error=lines[-1].removeprefix("pedl2det: "))
        return _reached(options.out)

    def stop(self, number: int) -> None:
        """Have all trials write a checkpoint and end, and start no other."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                process.send_signal(number)

    def _start(self, command: list[str]) -> subprocess.Popen[str] | None:
        with self._lock:
            if self._stopped:
                return None
            process = subprocess.Popen(  # noqa: S603 - our own command
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,  # Ctrl-C reaches the search alone
                preexec_fn=partial(end_with_parent, signal.SIGTERM),
            )
            self._running.add(process)
        return process


def _wait_for(out: Path) -> None:
    """Wait until the run of a search that was killed has ended."""
    end = time.monotonic() + _LONGEST_END
    while time.monotonic() < end:
        try:
            run_lock.refuse_held(out)
        except ConfigError:
            time.sleep(0.2)
        else:
            return


def _reached(out: Path) -> Reached:
    """Return what a run recorded of its end; what it printed may be the trial's own."""
    try:
        end = run_record.read(out).end
    except ConfigError as error:
        return Reached(error=str(error))
    if end is None:
        return Reached(error=f"{out}: the run recorded no end")
    ended, best = end.ended, end.ended.best
    checkpoint = best.checkpoint if best else None
    return Reached(
        batches=ended.batches,
        last=ended.last,
        best=best.value if best else None,
        best_batch=best.batches if best else None,
        checkpoint=str(out / "checkpoints" / checkpoint) if checkpoint else None,
    )


@dataclass(frozen=True)
class Search:
    """A search in one process, which starts the processes of its trials."""

    config: ExperimentConfig  #: the experiment config
    options: RunOptions  #: how each trial is run; ``out`` is the directory of the search
    study: Study  #: the record of the search
    jobs: int  #: trials at a time
    say: Callable[[str], None]  #: prints a line for people
    processes: TrialProcesses  #: the running trials

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
            for job in [pool.submit(work) for _ in range(self.jobs)]:
                job.result()

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
    """Return a hyperparameter that does not vary; a mapping may look like one that does."""
    return {"type": "const", "val": value} if isinstance(value, dict) and "type" in value else value


def ranked(results: list[Result], *, smaller_is_better: bool) -> list[Result]:
    """Return trials in the order of their best metric; those without one come last."""

    def key(result: Result) -> tuple[bool, float, int]:
        if result.best is None or math.isnan(result.best):
            return True, 0.0, result.number
        return False, result.best if smaller_is_better else -result.best, result.number

    return sorted(results, key=key)
