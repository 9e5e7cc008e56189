"""The one clock: marks at the ends of periods, the first of which starts it."""

from __future__ import annotations

import time


class Clock:
    """Prints the batches a second between the first mark and the last.

    Args:
        period: batches between two marks.
        marks: the number of marks.
    """

    def __init__(self, period: int, marks: int) -> None:
        self._period, self._marks = period, marks
        self._times: list[float] = []

    def mark(self) -> None:
        """Note that a period has ended."""
        self._times.append(time.perf_counter())
        if len(self._times) == self._marks:
            rate = self._period * (self._marks - 1) / (self._times[-1] - self._times[0])
            print("RATE", rate, flush=True)
