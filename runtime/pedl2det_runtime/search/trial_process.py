"""Train one trial of a search up to a rung, in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from pedl2det_runtime.errors import ConfigError
from pedl2det_runtime.training import run_end, run_lock
from pedl2det_runtime.training.options import RunOptions
from pedl2det_runtime.training.signals import end_with_parent

_STOPPED = (130, 143)  # exit codes of a run that a signal ended
_LONGEST_END = 120.0  # seconds until the run of a killed search has ended


@dataclass(frozen=True)
class Reached:
    """How a training up to a rung ended.

    Attributes:
        batches: batches trained.
        last: the searcher's metric of the last validation; None if there was none.
        best: the best value of it; None if there was none.
        best_batch: the batch of that validation.
        checkpoint: the path of its checkpoint; None if there is none.
        error: the last line on stderr, if it failed.
        was_stopped: whether a signal stopped it.
    """

    batches: int = 0
    last: float | None = None
    best: float | None = None
    best_batch: int | None = None
    checkpoint: str | None = None
    error: str = ""
    was_stopped: bool = False


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
    end = run_end.read(out)
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
