"""Runs that are killed at random moments, resumed until they end, and compared with a whole one."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from pedl2det_runtime.checkpoint.directory import steps
from support import start
from test_run import reports, weights
from zygote import Forked

Process = subprocess.Popen[str] | Forked

#: Batches of each trial; as long as it takes for kills to fall into every phase of a run.
BATCHES = 600
_TRIES = 60
#: Each kill leaves the next process more time, so that runs end on a busy machine, too.
_MORE_TIME = 1.1


@dataclass
class Kills:
    """What became of the runs of one trial.

    Attributes:
        killed: processes that were killed.
        after_report: of these, those that had written a report.
        whole: runs that were compared.
        lost: runs that could not be resumed, with what they printed.
        differing: runs that ended otherwise than the whole one.
    """

    killed: int = 0
    after_report: int = 0
    whole: int = 0
    lost: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)


class Victim:
    """One trial, trained whole once.

    Args:
        directory: the trial.
        scratch: where its runs go.
    """

    def __init__(self, directory: Path, scratch: Path) -> None:
        self._directory = directory
        self._scratch = scratch
        self._reference = scratch / "whole"
        began = time.monotonic()
        process = self._started(self._reference)
        _await_report(process, self._reference, 0)
        reported = time.monotonic()
        code, self.printed = _ended(process)
        if code != 0:
            raise RuntimeError(f"{directory.name} does not train: {self.printed}")
        self._seconds = time.monotonic() - began
        self._seconds_after_report = time.monotonic() - reported

    def _started(self, out: Path, *more: str) -> Process:
        arguments = ["run", str(self._directory), "--out", str(out)]
        arguments += ["--max-batches", str(BATCHES), *more]
        return start(arguments, None, {**os.environ})

    def kill_once(self, chance: random.Random, tally: Kills) -> None:
        """Train with kills at random moments until the run ends, and compare it.

        Half of them come after the first report of a process.
        """
        out, more_time = self._scratch / "killed", 1.0
        shutil.rmtree(out, ignore_errors=True)
        for _ in range(_TRIES):
            more = ("--resume",) if out.is_dir() else ()
            before, seconds = reported_bytes(out), self._seconds
            process = self._started(out, *more)
            if chance.random() < 0.5:
                _await_report(process, out, before)
                seconds = self._seconds_after_report
            _kill_after(process, chance.uniform(0, seconds * more_time))
            code, printed = _ended(process)
            if code == -signal.SIGKILL:
                tally.killed += 1
                tally.after_report += reported_bytes(out) > before
                more_time *= _MORE_TIME
            elif code == 0:
                return self._compare(out, tally)
            else:
                tally.lost.append(f"{self._directory.name}: exit {code}: {printed}")
                return None
        tally.lost.append(f"{self._directory.name}: not ended after {_TRIES} kills")
        return None

    def _compare(self, out: Path, tally: Kills) -> None:
        tally.whole += 1
        if weights(out) != weights(self._reference):
            tally.differing.append(f"{self._directory.name}: weights")
        if reports(out) != reports(self._reference):
            tally.differing.append(f"{self._directory.name}: metrics.jsonl")
        kept = [sorted(steps(path / "checkpoints").values()) for path in (out, self._reference)]
        if kept[0] != kept[1]:
            tally.differing.append(f"{self._directory.name}: checkpoints {kept[0]}, not {kept[1]}")


def reported_bytes(out: Path) -> int:
    """How much of its reports a run has written."""
    log = out / "metrics.jsonl"
    return log.stat().st_size if log.exists() else 0


def _await_report(process: Process, out: Path, before: int) -> None:
    """Wait until a process has written a report, or has ended."""
    while process.poll() is None and reported_bytes(out) <= before:
        time.sleep(0.005)


def _kill_after(process: Process, seconds: float) -> None:
    until = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    process.kill()


def _ended(process: Process) -> tuple[int, str]:
    printed, errors = process.communicate()
    assert process.returncode is not None
    return process.returncode, printed[-500:] + errors[-2000:]
