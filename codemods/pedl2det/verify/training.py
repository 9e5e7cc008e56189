"""Train a trial and its migrated copy at the same time, each in a process of its own."""

from __future__ import annotations

import signal
import sys
import time
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

from pedl2det.verify import processes
from pedl2det.verify.configs import Settings
from pedl2det.verify.copies import Copy
from pedl2det.visible import say

#: A training of up to so many batches is compared as a whole.
WHOLE = 1000
#: Of a longer one, so many are trained first; if equal, then as many as fit in some seconds.
USUAL = 300
_SECONDS = 30.0
#: Batches that are trained by default where migrate knows that the new trial trains differently.
#: What acts after several validations or epochs has mostly acted by then.
WITH_KNOWN_DIFFERENCES = 2000
#: If the first validation comes by this batch, training goes on until after it.
LATEST_VALIDATION = 1000
_AFTER_VALIDATION = 100
#: Checkpoints stay in the results, whatever storage the config names.
_STORAGE = ("checkpoint_storage.type=null", "checkpoint_storage.save_trial_latest=1")
_PAUSE = 0.1  # seconds between two looks at the processes


@dataclass(frozen=True)
class TrainingLength:
    """How many batches are trained."""

    batches: int | None  # None for all, where the config cannot be read
    total: int | None  # what the config asks for
    new_total: int | None = None  # what that of the new trial asks for; None if it is the same

    def affordable(self, pace: float) -> int | None:
        """Return how many to train after equal ones, by batches a second; None for no more."""
        if self.is_whole or not self.batches or self.total is None:
            return None
        longer = min(self.total, int(_SECONDS * pace))
        return longer if longer > 2 * self.batches or self.batches < longer == self.total else None

    @property
    def is_whole(self) -> bool:
        """Whether all batches are trained."""
        if self.batches is None:
            return True
        return self.total is not None and self.batches >= max(self.total, self.new_total or 0)

    def __str__(self) -> str:
        if self.batches is None:
            return "all batches"
        if self.total is None:
            return f"{self.batches:,} batches"
        if self.new_total is not None:
            totals = f"the old config asks for {self.total:,}, the new one for {self.new_total:,}"
            return f"{self.batches:,} batches; {totals}"
        if self.is_whole:
            return f"all {self.total:,} batches"
        return f"{self.batches:,} of {self.total:,} batches; --batches {self.total} trains all"


def training_length(
    settings: Settings | None,
    asked: int | None,
    new: Settings | None = None,
    *,
    has_known_differences: bool = False,
) -> TrainingLength:
    """Choose how many batches to train, by both configs as far as they can be read."""
    if settings is None:
        return TrainingLength(asked, None)
    usual, first = USUAL, settings.validation_period
    if has_known_differences:
        usual = WITH_KNOWN_DIFFERENCES
    elif settings.length <= WHOLE:
        usual = WHOLE
    elif USUAL <= first <= LATEST_VALIDATION:
        usual = first + _AFTER_VALIDATION  # a run also validates at its end: there are two
    other = new.length if new is not None and new.length != settings.length else None
    return TrainingLength(min(asked or usual, settings.length), settings.length, other)


@dataclass(frozen=True)
class Failure:
    """Why a trial does not train."""

    message: str  # the reason, with file and line of the copy
    stack: str  # all that it printed on stderr


def train(
    copies: tuple[Copy, ...], length: TrainingLength
) -> tuple[tuple[Failure | None, ...], float]:
    """Train trials at the same time; return for each why it failed, if it did, and the seconds.

    If the first one fails, the others are ended and do not count as failed. The time that they take
    to start is not counted.
    """
    if sys.stderr.isatty():
        say(f"training {' and '.join(copy.name for copy in copies)}: {length}", err=True)
    logs = [copy.out.with_name(f"{copy.name}.stderr") for copy in copies]
    started: list[BaseProcess] = []
    try:
        for copy, log in zip(copies, logs, strict=True):
            processes.start(_command(copy, length), copy.out.parent, log, started)
        began = time.monotonic()
        while not started[0].exitcode and None in [process.exitcode for process in started]:
            if not any((copy.out / "batches.jsonl").exists() for copy in copies):
                began = time.monotonic()
            time.sleep(_PAUSE)
        first_failed = bool(started[0].exitcode)
    finally:
        for process in started:
            process.kill()
            process.join()
    failures = [_failure(one.exitcode, log) for one, log in zip(started, logs, strict=True)]
    others = (None if first_failed else failure for failure in failures[1:])
    return (failures[0], *others), time.monotonic() - began


def _failure(code: int | None, log: Path) -> Failure | None:
    errors = log.read_text("utf-8", "replace")
    if not code:
        return None
    if code < 0:
        name = signal.Signals(-code).name
        why = ", perhaps for want of memory" if name == "SIGKILL" else ""
        return Failure(f"its process was ended by {name}{why}", errors)
    reports = [line for line in errors.splitlines() if line.startswith("pedl2det: ")]
    reason = (reports or errors.strip().splitlines() or ["no message"])[-1]
    message = reason.removeprefix("pedl2det: ").removesuffix(" (--traceback shows the whole stack)")
    return Failure(message, errors.removesuffix(f"{reason}\n"))


def _command(copy: Copy, length: TrainingLength) -> list[str]:
    if copy.script is None:
        command = ["pedl2det", "run", str(copy.directory), "--trace"]
        command += ["--watch", str(copy.root), str(copy.lines)]
        command += ["--as-written"] if copy.is_migrated else []
        command += ["--resume"] if copy.out.exists() else []
        command += ["--slots", "1"]  # the metrics of each batch are those of one process
        command += ["--traceback", "--out", str(copy.out), "--config", str(copy.config)]
        for override in (*_STORAGE, *copy.overrides):
            command += ["--set", override]
        if copy.twin_is_script:  # metrics of a trial are means since its last checkpoint
            command += ["--set", "min_checkpoint_period=null"]
        if length.batches is not None:
            command += ["--max-batches", str(length.batches)]
    else:
        command = ["pedl2det.verify.recorded_script", str(copy.out), str(copy.script)]
        command += ["--out", f"{copy.out}-files"]
        if not length.is_whole:  # its own length is compared as well
            command += ["--batches", str(length.batches)]
    return command
