"""A verdict as one HTML page, for the person who signs the migration off."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pedl2det.analysis.metric_names import MetricNames
from pedl2det.engine.migration import NewFile
from pedl2det.findings import Finding
from pedl2det.report import write_page
from pedl2det.report.changes import changed_lines
from pedl2det.report.hiding import Hider
from pedl2det.report.html import render
from pedl2det.verify.compare import read_lines
from pedl2det.verify.verdict import Verdict
from pedl2det.visible import shown

_LEFT, _WIDTH = 62, 480  # of a drawing
_TOP, _HEIGHT = 22, 150  # of the curves
_GAP, _STRIP = 26, 50  # of the difference, beneath them
_POINTS = 400  # of one curve at most


class Scale:
    """Places numbers below ``top``; only finite ones determine the scale."""

    def __init__(self, values: Sequence[float], top: int, height: int) -> None:
        self.top, self.bottom = top, top + height
        finite = [value for value in values if math.isfinite(value)] or [0.0]
        self._low, self._high = min(finite), max(finite)

    @property
    def marks(self) -> list[tuple[float, float]]:
        """The values that the axis shows, with their places."""
        return [(mark, self.y(mark)) for mark in dict.fromkeys((self._low, self._high))]

    def y(self, value: float) -> float:
        """Return the place of a value; if all are equal, it is the middle."""
        size = self._high - self._low
        share = (value - self._low) / size if size else 0.5
        return self.bottom - (self.bottom - self.top) * share


#: The values of a metric by the batches at which they were measured.
Curve = Mapping[int, float]


def write_report(
    path: Path, verdict: Verdict, old: Path, new: Path, files: Sequence[NewFile]
) -> None:
    """Write a verdict as an HTML page, with the files in which the trials differ."""
    name, comparison = verdict.directory.resolve().name, verdict.comparison
    curves = [curves_of(old, verdict.names), curves_of(new)] if comparison else [{}, {}]
    hider = Hider(tuple({file.path.parent for file in files}))
    text = render(
        "verify/page.html.j2",
        title=f"pedl2det verify {name}",
        name=name,
        verdict=verdict,
        left=_findings(verdict.left),
        differently=_findings(verdict.differently),
        drawings=[
            drawing(metric, *(by_metric.get(metric, {}) for by_metric in curves))
            for metric in dict.fromkeys([*curves[0], *curves[1]])
        ],
        files=[(file.path, changed_lines(file, hider)) for file in files],
    )
    write_page(path, text)


def _findings(findings: Iterable[Finding]) -> list[tuple[str, ...]]:
    hider = Hider(tuple({finding.path.parent for finding in findings}))
    return [
        (f"{shown(finding.path)}:{finding.place}", hider.in_prose(finding.message), finding.rule)
        for finding in findings
    ]


def curves_of(run: Path, names: MetricNames | None = None) -> dict[str, dict[int, float]]:
    """Read the metrics of a run, with new names: by batch, with the learning rates; by report."""
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
    """Return a metric of the old and the new trial as an SVG element; a trial may not report it."""
    last = max([*old, *new], default=1)
    scale = Scale([*old.values(), *new.values()], _TOP, _HEIGHT)
    lines = [*_lines("old", old, last, scale), *_lines("new", new, last, scale)]
    areas = [("", scale, lines)]
    if old and new:
        gaps = {batch: new[batch] - value for batch, value in old.items() if batch in new}
        largest = max((abs(gap) for gap in gaps.values() if math.isfinite(gap)), default=0.0)
        strip = Scale([-largest, largest], scale.bottom + _GAP, _STRIP)
        title = f"new - old, at most {largest:.3g}"
        areas.append((title, strip, [*_lines("gap", gaps, last, strip)]))
    return render(
        "verify/curve.html.j2",
        name=name,
        areas=areas,
        bottom=areas[-1][1].bottom,
        last=last,
        only="" if old and new else "old" if old else "new",
        left=_LEFT,
        width=_WIDTH,
    )


def _lines(style: str, curve: Curve, last: int, scale: Scale) -> Iterator[tuple[str, str]]:
    """The lines of a curve, which is broken where it is not a number."""
    every = -(-len(curve) // _POINTS) or 1
    parts: list[list[str]] = [[]]
    for number, (batch, value) in enumerate(curve.items(), 1):
        if number % every and number > 1:
            continue
        if math.isfinite(value):
            x = _LEFT + (_WIDTH - _LEFT) * batch / last
            parts[-1].append(f"{x:.1f},{scale.y(value):.1f}")
        else:
            parts.append([])
    # Round ends of lines show a single point, which is drawn as a line from it to itself.
    return ((style, " ".join(part * 2 if len(part) == 1 else part)) for part in parts if part)
