"""Curves of two runs as SVG: both metrics, and beneath them their difference."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pedl2det.analysis.metric_names import MetricNames
from pedl2det.report.page import escaped

_WIDTH, _HEIGHT, _STRIP = 480, 150, 50  # of the drawing; of the curves; of the difference
_LEFT, _GAP, _TOP, _BOTTOM = 62, 26, 22, 20
_POINTS = 400  # of one curve at most

Point = tuple[float, float]


@dataclass
class Curve:
    """A metric of a run.

    Attributes:
        batches: where it was measured.
        values: its values there.
    """

    batches: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)


def curves_of(run: Path, names: MetricNames | None = None) -> dict[str, Curve]:
    """Read the metrics of a run: those of training by batch, those of validations by report.

    The learning rates of the batches are curves as well.

    Args:
        run: its results directory.
        names: the new names of the metrics; None if they are the same.
    """
    found: dict[str, Curve] = {}
    for kind, place, file in (
        ("training", "batch", "batches.jsonl"),
        ("validation", "batches", "metrics.jsonl"),
    ):
        new = names.of(kind) if names is not None else {}
        for line in (run / file).read_text().splitlines():
            record = json.loads(line)
            if record.get("kind", kind) != kind:
                continue
            values = {new.get(name, name): value for name, value in record["metrics"].items()}
            for name, value in {**values, **_rates(record)}.items():
                curve = found.setdefault(name, Curve())
                curve.batches.append(record[place])
                curve.values.append(value)
    return found


def _rates(record: dict[str, Any]) -> dict[str, float]:
    """The learning rates of a batch, with names for people."""
    rates: dict[str, float] = record.get("learning_rates", {})
    if len(rates) == 1:
        return {"learning rate": next(iter(rates.values()))}
    return {f"learning rate of {name}": value for name, value in rates.items()}


def drawing(name: str, old: Curve, new: Curve) -> str:
    """Return a metric of the old and the new trial as an SVG element.

    Args:
        name: the name of the metric.
        old: its curve in the old trial; an empty one if it is not reported there.
        new: that in the new one.
    """
    last = max([*old.batches, *new.batches], default=1)
    upper = _Area(last, [*old.values, *new.values], _TOP, _HEIGHT)
    parts = [f'<text x="{_LEFT}" y="14" font-weight="bold">{escaped(name)}</text>\n']
    if old.values and new.values:
        height = _TOP + _HEIGHT + _GAP + _STRIP + _BOTTOM
        difference = _difference(old, new, last)
        legend = [("old", "old", 40), ("new", "new", 0)]
    else:
        height = _TOP + _HEIGHT + _BOTTOM
        difference = ""
        word = "old" if old.values else "new"
        legend = [(word, f"only in the {word} trial", 0)]
    parts += (
        f'<text class="{style}" x="{_WIDTH - left}" y="14" text-anchor="end">{text}</text>\n'
        for style, text, left in legend
    )
    parts += upper.axes(), upper.line(old, "old"), upper.line(new, "new"), difference
    parts += (
        f'<text x="{_LEFT}" y="{height - 4}">batch 0</text>'
        f'<text x="{_WIDTH}" y="{height - 4}" text-anchor="end">batch {last:,}</text>\n',
    )
    svg = f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escaped(name)}">\n'
    return f"{svg}{''.join(parts)}</svg>\n"


def _difference(old: Curve, new: Curve, last: int) -> str:
    """The difference of two curves, beneath them, on a scale of its own."""
    other = dict(zip(new.batches, new.values, strict=True))
    both = [
        (batch, other[batch] - value)
        for batch, value in zip(old.batches, old.values, strict=True)
        if batch in other
    ]
    gaps = Curve([batch for batch, _ in both], [gap for _, gap in both])
    largest = max((abs(gap) for gap in gaps.values if math.isfinite(gap)), default=0.0)
    strip = _Area(last, [-largest, largest], _TOP + _HEIGHT + _GAP, _STRIP)
    title = f'<text x="{_LEFT}" y="{strip.top - 6}">new - old, at most {largest:.3g}</text>\n'
    return title + strip.axes() + strip.line(gaps, "gap")


class _Area:
    """A part of a drawing with a scale of its own."""

    def __init__(self, last: int, values: Iterable[float], top: int, height: int) -> None:
        finite = [value for value in values if math.isfinite(value)]
        self.top, self._height, self._last = top, height, last
        self._low, self._high = min(finite, default=0.0), max(finite, default=0.0)

    def axes(self) -> str:
        """The frame, with the values of its edges; one value stands in the middle."""
        low, high = self.top + self._height, self.top
        ends = {self._y(self._low): self._low, self._y(self._high): self._high}
        labels = "".join(
            f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value + 0.0:.4g}</text>\n'
            for y, value in ends.items()
        )
        lines = "".join(
            f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH}" y1="{y}" y2="{y}"/>\n'
            for y in (low, high)
        )
        return lines + labels

    def line(self, curve: Curve, style: str) -> str:
        """A curve; where it is not a number, it is broken."""
        parts = (
            " ".join(f"{x:.1f},{y:.1f}" for x, y in part) for part in self._parts(_thinned(curve))
        )
        return "".join(f'<polyline class="{style}" points="{part}"/>\n' for part in parts)

    def _parts(self, points: Sequence[Point]) -> list[list[Point]]:
        parts: list[list[Point]] = [[]]
        for batch, value in points:
            if math.isfinite(value):
                x = _LEFT + (_WIDTH - _LEFT) * batch / self._last
                parts[-1].append((x, self._y(value)))
            elif parts[-1]:
                parts.append([])
        # A single point is drawn as a short line.
        return [
            part if len(part) > 1 else [(x - 2, y) for x, y in part] + part
            for part in parts
            if part
        ]

    def _y(self, value: float) -> float:
        span = self._high - self._low
        share = (value - self._low) / span if span else 0.5
        return self.top + self._height * (1 - share)


def _thinned(curve: Curve) -> list[Point]:
    points = [*zip(curve.batches, curve.values, strict=False)]
    every = -(-len(points) // _POINTS) or 1
    return [point for number, point in enumerate(points, 1) if number % every == 0 or number == 1]
