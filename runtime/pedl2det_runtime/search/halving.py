"""Successive halving: the rungs of each trial, and whether it goes on from one. Pure.

A trial trains up to a *rung*. It goes on to the next if its metric is among the best ``1/divisor``
of those that the rung has so far; otherwise it stops there for good. A *bracket* is a share of the
trials with a number of rungs of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Mode = Literal["aggressive", "standard", "conservative"]


@dataclass(frozen=True)
class Halving:
    """The brackets of a search."""

    divisor: float  #: of so many trials at a rung one goes on
    #: the number of rungs of each bracket; the bracket with the most comes first
    rungs: tuple[int, ...]
    trials: tuple[int, ...]  #: the number of trials of each bracket

    def bracket(self, number: int) -> int:
        """Return the bracket of a trial, by its number from 0; they take turns until full."""
        turns = [
            bracket
            for turn in range(max(self.trials))
            for bracket, count in enumerate(self.trials)
            if turn < count
        ]
        return turns[number]

    def lengths(self, bracket: int, batches: int) -> list[int]:
        """Return where the rungs of a bracket are, in batches; the last is the whole trial."""
        count = self.rungs[bracket]
        return [max(int(batches / self.divisor ** (count - rung - 1)), 1) for rung in range(count)]

    def goes_on(self, value: float, others: Sequence[float], *, smaller_is_better: bool) -> bool:
        """Return whether a trial trains to the next rung.

        Args:
            value: its metric at this rung; NaN is worse than any number.
            others: those of all trials that reached the rung before it.
            smaller_is_better: the meaning of the metric.
        """
        if math.isnan(value):
            return False
        better = sum(other < value if smaller_is_better else other > value for other in others)
        return better < max(int((len(others) + 1) / self.divisor), 1)


def brackets_of(mode: Mode, rungs: int) -> tuple[int, ...]:
    """Return the number of rungs of each bracket: the more brackets, the fewer trials stop early.

    Args:
        mode: ``aggressive`` is one bracket, ``conservative`` one for each number of rungs,
            ``standard`` half of these.
        rungs: the most rungs of a bracket.
    """
    count = {"aggressive": 1, "standard": rungs // 2 + 1, "conservative": rungs}[mode]
    return tuple(rungs - bracket for bracket in range(min(count, rungs)))


def most_rungs(max_rungs: int, divisor: float, length: int, trials: int) -> int:
    """Return how many rungs there are room for: in the length of a trial, and in their number."""
    return max(1, min(max_rungs, _powers(length, divisor) + 1, _powers(trials, divisor) + 1))


def shared_trials(rungs: Sequence[int], divisor: float, trials: int) -> tuple[int, ...]:
    """Return how many trials each bracket has: more for more rungs, at least one each.

    Args:
        rungs: the number of rungs of each bracket.
        divisor: of so many trials at a rung one goes on.
        trials: their number in all brackets together.
    """
    weights = [divisor ** (count - 1) / count for count in rungs]
    shares = [max(int(trials * weight / sum(weights)), 1) for weight in weights]
    shares[0] = max(shares[0] + trials - sum(shares), 1)
    return tuple(shares)


def _powers(number: int, base: float) -> int:
    """Return the largest whole exponent with ``base ** exponent <= number``."""
    exponent = 0
    while base ** (exponent + 1) <= number:
        exponent += 1
    return exponent
