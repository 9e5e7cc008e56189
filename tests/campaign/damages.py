"""Damaged checkpoints: each is refused in one line that names it, or trains to the same end."""

from __future__ import annotations

import os
import random
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from damage import damage
from support import start
from test_run import weights
from zygote import Forked

BATCHES = 120
MOST_BYTES = 2 << 30


@dataclass
class Damages:
    """What became of damaged checkpoints.

    Attributes:
        damaged: how many there were.
        refused: runs that ended with one line.
        continued: runs that ended as the undamaged one.
        wrong: all others, with what they printed.
        peak_bytes: the most memory of a run.
    """

    damaged: int = 0
    refused: int = 0
    continued: int = 0
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
        process = self._started(out, batches, *more)
        _, errors = process.communicate()
        if process.returncode != 0:
            raise RuntimeError(f"{self._directory.name} does not train: {errors}")

    def _started(self, out: Path, batches: int, *more: str) -> Forked:
        arguments = ["run", str(self._directory), "--out", str(out)]
        arguments += ["--max-batches", str(batches), *more]
        process = start(arguments, None, {**os.environ})
        assert isinstance(process, Forked)
        return process

    def damage_once(self, chance: random.Random, tally: Damages) -> None:
        """Damage the newest checkpoint, or the only one, and go on from it."""
        shutil.rmtree(self._copy, ignore_errors=True)
        shutil.copytree(self._half, self._copy)
        steps = {
            int(_steps(path)): path for path in (self._copy / "checkpoints").glob("*/metadata.json")
        }
        newest = steps.pop(max(steps)).parent
        if chance.random() < 0.5:
            for other in steps.values():
                shutil.rmtree(other.parent)
        name = damage(newest, chance)
        tally.damaged += 1
        process = self._started(self._copy, BATCHES, "--resume")
        printed, errors = process.communicate()
        tally.peak_bytes = max(tally.peak_bytes, process.peak_bytes)
        problem = self._judge(process, errors, tally)
        if problem:
            tally.wrong.append(f"{self._directory.name}: {name}: {problem}: {printed[-500:]}")

    def _judge(self, process: Forked, errors: str, tally: Damages) -> str | None:
        if process.peak_bytes > MOST_BYTES:
            return f"{process.peak_bytes >> 20} MB"
        if list(self._copy.rglob("HACKED")):
            return "code ran"
        if process.returncode == 0:
            tally.continued += 1
            return None if weights(self._copy) == weights(self._whole) else "differs"
        lines = [line for line in errors.splitlines() if line.startswith("pedl2det: ")]
        one_line = len(lines) == 1 and "checkpoints/" in lines[0] and "Traceback" not in errors
        if process.returncode != 2 or not one_line:
            return f"exit {process.returncode}: {errors[-1500:]}"
        tally.refused += 1
        return None


def _steps(metadata: Path) -> int:
    import json

    return int(json.loads(metadata.read_text())["steps_completed"])
