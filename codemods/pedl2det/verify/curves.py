"""Curves of two runs as SVG: both metrics, and beneath them their difference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path

from pedl2det.analysis.metric_names import MetricNames
from pedl2det.report.page import escaped
from pedl2det.verify.compare import read_lines

_WIDTH, _HEIGHT, _STRIP = 480, 150, 50  # of the drawing; of the curves; of the difference
_LEFT, _GAP, _TOP, _BOTTOM = 62, 26, 22, 20
_POINTS = 400  # of one curve at most

#: The values of a metric by the batches at which they were measured.
Curve = Mapping[int, float]


def curves_of(run: Path, names: MetricNames | None = None) -> dict[str, dict[int, float]]:
    """Read the metrics of a run: those of training by batch, those of validations by report.

    The learning rates of the batches are curves as well.

    Args:
        run: its results directory.
        names: the new names of the metrics; None if they are the same.
    """
    curves: dict[str, dict[int, float]] = {}
    for line in read_lines(run / "batches.jsonl", names):
        rates = line.get("learning_rates", {})
        for name, value in line["metrics"].items():
            curves.setdefault(name, {})[line["batch"]] = value
        for name, rate in rates.items():
            title = "learning rate" if len(rates) == 1 else f"learning rate of {name}"
            curves.setdefault(title, {})[line["batch"]] = rate
    for line in read_lines(run / "metrics.jsonl", names):
        for name, value in line["metrics"].items() if line["kind"] == "validation" else ():
            curves.setdefault(name, {})[line["batches"]] = value
    return curves


def drawing(name: str, old: Curve, new: Curve) -> str:
    """Return a metric of the old and the new trial as an SVG element.

    Args:
        name: the name of the metric.
        old: its curve in the old trial; an empty one if it is not reported there.
        new: that in the new one.
    """
    last = max([*old, *new], default=1)
    upper = _Area(last, [*old.values(), *new.values()], _TOP, _HEIGHT)
    height = _TOP + _HEIGHT + _BOTTOM
    parts = [upper.axes(), upper.line(old, "old"), upper.line(new, "new")]
    if old and new:
        parts.append(_difference(old, new, last))
        height += _GAP + _STRIP
        parts += _text(_WIDTH - 40, 14, "old", "end", "old"), _text(_WIDTH, 14, "new", "end", "new")
    else:
        which = "old" if old else "new"
        parts.append(_text(_WIDTH, 14, f"only in the {which} trial", "end", which))
    title = f'<text x="{_LEFT}" y="14" font-weight="bold">{escaped(name)}</text>\n'
    labels = _text(_LEFT, height - 4, "batch 0") + _text(
        _WIDTH, height - 4, f"batch {last:,}", "end"
    )
    svg = f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escaped(name)}">\n'
    return f"{svg}{title}{''.join(parts)}{labels}</svg>\n"


def _difference(old: Curve, new: Curve, last: int) -> str:
    """The difference of two curves, beneath them, on a scale of its own."""
    gaps = {batch: new[batch] - value for batch, value in old.items() if batch in new}
    largest = max((abs(gap) for gap in gaps.values() if math.isfinite(gap)), default=0.0)
    strip = _Area(last, [-largest, largest], _TOP + _HEIGHT + _GAP, _STRIP)
    title = _text(_LEFT, strip.top - 6, f"new - old, at most {largest:.3g}")
    return title + strip.axes() + strip.line(gaps, "gap")


def _text(x: float, y: float, text: str, anchor: str = "start", style: str = "") -> str:
    return f'<text class="{style}" x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>\n'


class _Area:
    """A part of a drawing with a scale of its own."""

    def __init__(self, last: int, values: Iterable[float], top: int, height: int) -> None:
        finite = [value for value in values if math.isfinite(value)]
        self.top, self._height, self._last = top, height, last
        self._low, self._high = min(finite, default=0.0), max(finite, default=0.0)

    def axes(self) -> str:
        """The frame, with the values of its edges; a single value is in the middle."""
        ends = {self._y(value): value for value in (self._low, self._high)}
        labels = (
            _text(_LEFT - 6, round(y + 4, 1), f"{value + 0.0:.4g}", "end")
            for y, value in ends.items()
        )
        lines = (
            f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH}" y1="{y}" y2="{y}"/>\n'
            for y in (self.top, self.top + self._height)
        )
        return "".join((*lines, *labels))

    def line(self, curve: Curve, style: str) -> str:
        """A curve; where it is not a number, it is broken."""
        every = -(-len(curve) // _POINTS) or 1
        parts: list[list[str]] = [[]]
        for number, (batch, value) in enumerate(curve.items(), 1):
            if number % every and number > 1:
                continue
            if math.isfinite(value):
                x = _LEFT + (_WIDTH - _LEFT) * batch / self._last
                parts[-1].append(f"{x:.1f},{self._y(value):.1f}")
            elif parts[-1]:
                parts.append([])
        # Round ends of lines show a single point, which is drawn as a line from it to itself.
        lines = (" ".join(part * 2 if len(part) == 1 else part) for part in parts if part)
        return "".join(f'<polyline class="{style}" points="{line}"/>\n' for line in lines)

    def _y(self, value: float) -> float:
        span = self._high - self._low
        share = (value - self._low) / span if span else 0.5
        return self.top + self._height * (1 - share)
