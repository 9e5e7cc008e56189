"""The vertical scale of a chart in a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


class Scale:
    """Places numbers by size, and other values in their order, below ``top``.

    Numbers that are not finite make no room for themselves. Those over more than two decades may be
    placed by their logarithms.
    """

    def __init__(
        self, values: Sequence[Any], top: int, height: int, *, may_be_log: bool = False
    ) -> None:
        self.top, self.bottom = top, top + height
        numbers = [
            value
            for value in values
            if isinstance(value, int | float) and not isinstance(value, bool)
        ]
        finite = [number for number in numbers if math.isfinite(number)] or [0.0]
        self._low, self._high = min(finite), max(finite)
        ends: list[Any] = [self._low, self._high]
        self._is_numeric = len(numbers) == len(values)
        self._marks = list(dict.fromkeys(ends if self._is_numeric else map(str, values)))
        self._is_log = may_be_log and 0 < 100 * self._low < self._high

    @property
    def marks(self) -> list[tuple[Any, float]]:
        """The values that the axis shows, with their places."""
        return [(mark, self.y(mark)) for mark in self._marks]

    def y(self, value: Any) -> float:
        """Return the place of a value; a single one is in the middle."""
        low, high = self._low, self._high
        if not self._is_numeric:
            low, high, value = 0, len(self._marks) - 1, self._marks.index(str(value))
        elif self._is_log:
            low, high, value = map(math.log, (low, high, value))
        share = (value - low) / (high - low) if high > low else 0.5
        return self.bottom - (self.bottom - self.top) * share
