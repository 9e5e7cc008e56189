"""What a benchmark returns: figures of one run, taken in turns, and their ratios."""

from __future__ import annotations

import os
import statistics
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    """Two medians of one run.

    Attributes:
        what: what is measured.
        ours: the median of pedl2det.
        against: what it is compared with.
        other: the median of that.
        unit: the unit of both.
        target: the ratio to reach: at least this if positive, at most this if negative; None for
            a ratio that is only shown.
    """

    what: str
    ours: float
    against: str
    other: float
    unit: str
    target: float | None = None

    @property
    def ratio(self) -> float:
        """The figure of pedl2det divided by the other."""
        return self.ours / self.other

    @property
    def is_met(self) -> bool:
        """Whether the target is reached."""
        return self.target is None or (
            self.ratio >= self.target if self.target > 0 else self.ratio <= -self.target
        )


def in_turns(measures: dict[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """Take every measure once in each round; return the medians."""
    taken: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            taken[name].append(measure())
    return {name: statistics.median(values) for name, values in taken.items()}


@dataclass(frozen=True)
class Used:
    """What a process used.

    Attributes:
        output: what it printed.
        seconds: CPU time.
        megabytes: the most memory at one time.
    """

    output: str
    seconds: float
    megabytes: float


def used(command: Sequence[object], environment: dict[str, str] | None = None) -> Used:
    """Run a command to its end.

    Args:
        command: its words.
        environment: variables to set.

    Raises:
        RuntimeError: it failed.
    """
    words = [str(word) for word in command]
    variables = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"} | (environment or {})
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    process = subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=variables,
    )
    output = process.stdout.read()
    _, status, resources = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{' '.join(words)}:\n{output}")
    seconds = resources.ru_utime + resources.ru_stime
    return Used(output, seconds, resources.ru_maxrss / 1024)
