"""Damaged checkpoints: each is refused in one line that names it, or trains to the same end."""

from __future__ import annotations

import os
import random
import shutil
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from damage import change_hdf5, damage
from support import start
from test_run import weights
from zygote import Forked

BATCHES = 120
MOST_BYTES = 2 << 30
MOST_SECONDS = 180.0  # of a run
UNSIGNED = " is not signed by you as it is"


@dataclass
class Damages:
    """What became of damaged checkpoints.

    Attributes:
        damaged: how many there were.
        refused: runs that ended with one line.
        continued: runs that ended as the undamaged one.
        named: runs that ended otherwise, and had said that the checkpoint could not be verified.
        wrong: all others, with what they printed.
        peak_bytes: the most memory of a run.
    """

    damaged: int = 0
    refused: int = 0
    continued: int = 0
    named: int = 0
    wrong: list[str] = field(default_factory=list)
    peak_bytes: int = 0


class Patient:
    """One trial, trained in two parts: to its checkpoints, and to its end.

    Args:
        directory: the trial.
        scratch: where its runs go.
    """

    def __init__(self, directory: Path, scratch: Path) -> None:
        self._directory = directory
        self._half, self._whole = scratch / "half", scratch / "whole"
        self._copy = scratch / "copy"
        self._run(self._half, BATCHES // 2)
        shutil.copytree(self._half, self._whole)
        self._run(self._whole, BATCHES, "--resume")

    def _run(self, out: Path, batches: int, *more: str) -> None:
        process, _, errors = _ended("run", *self._arguments(out, batches), *more)
        if process.returncode != 0:
            raise RuntimeError(f"{self._directory.name} does not train: {errors}")

    def _arguments(self, out: Path, batches: int) -> tuple[object, ...]:
        return self._directory, "--out", out, "--max-batches", batches

    def damage_once(self, chance: random.Random, tally: Damages) -> None:
        """Damage the newest checkpoint, or the only one, and go on from it."""
        name, _ = self._damaged(chance, damage)
        self._go_on(name, tally)

    def attack_once(self, chance: random.Random, tally: Damages) -> None:
        """Change its HDF5 file, with hashes made right; show it, begin with it, go on from it."""
        name, newest = self._damaged(chance, change_hdf5)
        anew = self._arguments(self._copy / "anew", 3)
        for command in (
            ("checkpoint", "show", newest),
            ("run", *anew, "--from-checkpoint", newest),
        ):
            process, printed, errors = _ended(*command)
            tally.peak_bytes = max(tally.peak_bytes, process.peak_bytes)
            is_refused = process.returncode == 2 and errors.count("pedl2det: ") == 1
            if not (process.returncode == 0 or is_refused) or process.peak_bytes > MOST_BYTES:
                said = f"exit {process.returncode}: {printed[-500:]}{errors[-1500:]}"
                tally.wrong.append(f"{name}: {command[0]}: {said}")
        self._go_on(name, tally)

    def _damaged(
        self, chance: random.Random, change: Callable[[Path, random.Random], str]
    ) -> tuple[str, Path]:
        """Change the newest checkpoint of a copy; what was done, and to which."""
        shutil.rmtree(self._copy, ignore_errors=True)
        shutil.copytree(self._half, self._copy)
        steps = {
            _steps(path): path for path in (self._copy / "checkpoints").glob("*/metadata.json")
        }
        newest = steps.pop(max(steps)).parent
        if chance.random() < 0.5:
            for other in steps.values():
                shutil.rmtree(other.parent)
        return change(newest, chance), newest

    def _go_on(self, name: str, tally: Damages) -> None:
        tally.damaged += 1
        process, printed, errors = _ended("run", *self._arguments(self._copy, BATCHES), "--resume")
        tally.peak_bytes = max(tally.peak_bytes, process.peak_bytes)
        problem = self._judge(process, printed, errors, tally)
        if problem:
            tally.wrong.append(f"{self._directory.name}: {name}: {problem}: {printed[-500:]}")

    def _judge(self, process: Forked, printed: str, errors: str, tally: Damages) -> str | None:
        if process.peak_bytes > MOST_BYTES:
            return f"{process.peak_bytes >> 20} MB"
        if list(self._copy.rglob("HACKED")):
            return "code ran"
        if process.returncode == 0:
            is_same = weights(self._copy) == weights(self._whole)
            tally.continued += is_same
            tally.named += not is_same and UNSIGNED in printed
            return None if is_same or UNSIGNED in printed else "differs"
        lines = [line for line in errors.splitlines() if line.startswith("pedl2det: ")]
        one_line = len(lines) == 1 and "checkpoints/" in lines[0] and "Traceback" not in errors
        if process.returncode != 2 or not one_line:
            return f"exit {process.returncode}: {errors[-1500:]}"
        tally.refused += 1
        return None


def _ended(*arguments: object) -> tuple[Forked, str, str]:
    """Run the command line to its end, or to the end of patience; what it printed."""
    process = start([str(argument) for argument in arguments], None, {**os.environ})
    assert isinstance(process, Forked)
    timer = threading.Timer(MOST_SECONDS, os.kill, (process.pid, signal.SIGKILL))
    timer.start()
    printed, errors = process.communicate()
    timer.cancel()
    return process, printed, errors


def _steps(metadata: Path) -> int:
    import json

    return int(json.loads(metadata.read_text())["steps_completed"])
