"""``search.html``: the trials of a search, their curves, and what the good ones have in common."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pedl2det import __version__
from pedl2det.report.page import escaped, page
from pedl2det.search.table import HEAD, TAIL, flat, number_or_text, row, varying
from pedl2det_runtime.search.study import Result

_STYLE = """\
<style>
.s0 { color: var(--new); } .s1 { color: color-mix(in srgb, var(--new) 60%, var(--old)); }
.s2 { color: color-mix(in srgb, var(--new) 30%, var(--old)); } .s3, .s4 { color: var(--old); }
.s4 { opacity: .45; }
.scroll { overflow-x: auto; } .scroll svg { min-width: 40rem; max-width: 70rem; }
.scroll td, .scroll th { white-space: nowrap; }
svg polyline { stroke: currentColor; } svg circle { fill: currentColor; }
.swatch { display: inline-block; width: 1.2rem; height: .6rem; background: currentColor; }
</style>
"""


def write_page(file: Path, config: Any, results: Sequence[Result], out: Path) -> None:
    """Write the page.

    Args:
        file: where to.
        config: the experiment config.
        results: the trials, the best first.
        out: the directory of the search.
    """
    names, metric = varying(results), config.searcher.metric
    better = "smaller" if config.searcher.smaller_is_better else "larger"
    body = (
        f"{_STYLE}<h1>Search: {escaped(config.title)}</h1>\n{_facts(config, results)}"
        f"<h2>{escaped(metric)} of all trials ({better} is better)</h2>\n"
        f'<div class="scroll">{curves(metric, [_curve(one, out, metric) for one in results])}</div>'
        f"<p>{''.join(legend())}</p>\n"
        f"<h2>Hyperparameters</h2>\n"
        f'<div class="scroll">{parallel(names, metric, results)}</div>\n'
        f"<h2>Trials</h2>\n{_table(results, names)}"
    )
    file.write_text(page(f"Search: {config.title}", body, "wide"), encoding="utf-8")


def _facts(config: Any, results: Sequence[Result]) -> str:
    states = {one.state: sum(other.state == one.state for other in results) for one in results}
    facts = {
        "Date": f"{datetime.datetime.now().astimezone():%Y-%m-%d %H:%M %Z}",
        "Searcher": config.searcher.name,
        "Trials": ", ".join(f"{count} {state}" for state, count in states.items()),
        "Seed": str(config.reproducibility.experiment_seed),
        "Version": f"pedl2det {__version__}",
    }
    rows = "".join(
        f"<tr><td>{escaped(name)}</td><td>{escaped(value)}</td></tr>\n"
        for name, value in facts.items()
    )
    return f'<table class="facts">\n{rows}</table>\n'


def _curve(result: Result, out: Path, metric: str) -> Curve:
    """All validations of a trial: those of its log, and those at rungs that it left behind."""
    found = {at: value for at, value in result.values.items() if math.isfinite(value)}
    log = out / "trials" / f"{result.number:04}" / "metrics.jsonl"
    for line in log.read_text("utf-8").splitlines() if log.is_file() else ():
        record = json.loads(line)
        value = record["metrics"].get(metric)
        if record["kind"] == "validation" and value is not None and math.isfinite(value):
            found[record["batches"]] = value
    return sorted(found.items())


def _table(results: Sequence[Result], names: Sequence[str]) -> str:
    head = "".join(f"<th>{escaped(text)}</th>" for text in (*HEAD, *names, *TAIL))
    rows = "".join(
        f"<tr>{''.join(f'<td>{escaped(text)}</td>' for text in row(one, names))}</tr>\n"
        + (f'<tr><td></td><td colspan="99" class="error">{escaped(one.error)}</td></tr>\n')
        * bool(one.error)
        for one in results
    )
    return f'<div class="scroll"><table>\n<tr>{head}</tr>\n{rows}</table></div>\n'


_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 960, 260, 70, 26, 30
_SHADES = 5

Curve = list[tuple[int, float]]


def shade(place: int, count: int) -> str:
    """Return the class of a trial's lines, by its place among all: ``s0`` is the best."""
    return f"s{min(place * _SHADES // max(count, 1), _SHADES - 1)}"


def curves(title: str, found: Sequence[Curve]) -> str:
    """Return the metric of all trials against batches; the best trial comes first."""
    points = [point for curve in found for point in curve if math.isfinite(point[1])]
    if not points:
        return ""
    last = max(batch for batch, _ in points) or 1
    scale = _Scale([value for _, value in points])
    drawn = [
        _line([(_x(batch / last), scale.y(value)) for batch, value in curve], place, len(found))
        for place, curve in enumerate(found)
    ]
    labels = (
        f'<text x="{_LEFT}" y="{_TOP + _HEIGHT + 20}">batch 0</text>'
        f'<text x="{_WIDTH}" y="{_TOP + _HEIGHT + 20}" text-anchor="end">batch {last:,}</text>\n'
    )
    return _svg(title, f"{scale.axis(_LEFT)}{labels}{''.join(reversed(drawn))}")


def parallel(names: Sequence[str], metric: str, results: Sequence[Result]) -> str:
    """Return a line for each trial across one axis for each hyperparameter and the metric."""
    shown = [one for one in results if one.best is not None and math.isfinite(one.best)]
    if not (names and shown):
        return ""
    columns: list[list[Any]] = [
        [dict(flat(one.hparams)).get(name) for one in shown] for name in names
    ]
    columns.append([one.best for one in shown])
    scales = [_Scale(column) for column in columns]
    places = [_x(number / len(names)) for number in range(len(columns))]
    drawn = [
        _line(
            [
                (x, scale.y(column[n]))
                for x, scale, column in zip(places, scales, columns, strict=True)
            ],
            n,
            len(shown),
        )
        for n in range(len(shown))
    ]
    axes = "".join(
        f"{scale.axis(x)}"
        f'<text x="{x}" y="14" text-anchor="{_anchor(x)}" font-weight="bold">'
        f"{escaped(name)}</text>\n"
        for x, scale, name in zip(places, scales, [*names, metric], strict=True)
    )
    return _svg("", axes + "".join(reversed(drawn)))


class _Scale:
    """The vertical scale of one axis: numbers by size, other values in their order."""

    def __init__(self, values: Sequence[Any]) -> None:
        numbers = [
            one for one in values if isinstance(one, int | float) and not isinstance(one, bool)
        ]
        self._marks: list[Any] = list(dict.fromkeys(map(str, values)))
        self._low = self._high = 0.0
        self._is_numeric = len(numbers) == len(values)
        if self._is_numeric:
            self._low, self._high = min(numbers), max(numbers)
            self._marks = list(dict.fromkeys([self._low, self._high]))
        positive = self._is_numeric and self._low > 0
        self._is_log = positive and self._high / self._low > 100

    def y(self, value: Any) -> float:
        """The place of a value."""
        if self._is_numeric:
            low, high, at = (
                (map(math.log, (self._low, self._high, value)))
                if self._is_log
                else (self._low, self._high, value)
            )
            share = (at - low) / (high - low) if high > low else 0.5
        else:
            last = len(self._marks) - 1
            share = self._marks.index(str(value)) / last if last else 0.5
        return _TOP + _HEIGHT * (1 - share)

    def axis(self, x: float) -> str:
        """The axis, with its values."""
        labels = "".join(
            f'<text x="{x + (-6 if x < _WIDTH else -4):.0f}" y="{self.y(mark) + 4:.1f}" '
            f'text-anchor="end">{escaped(number_or_text(mark))}</text>\n'
            for mark in self._marks
        )
        line = f'<line class="axis" x1="{x}" x2="{x}" y1="{_TOP}" y2="{_TOP + _HEIGHT}"/>\n'
        return line + labels


def _x(share: float) -> float:
    return round(_LEFT + (_WIDTH - _LEFT) * share, 1)


def _anchor(x: float) -> str:
    return "end" if x >= _WIDTH else "middle"


def _line(points: Sequence[tuple[float, float]], place: int, count: int) -> str:
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>' for x, y in points)
    return f'<g class="{shade(place, count)}"><polyline points="{text}"/>{dots}</g>\n'


def _svg(title: str, body: str) -> str:
    height = _TOP + _HEIGHT + _BOTTOM
    heading = (
        f'<text x="{_LEFT}" y="14" font-weight="bold">{escaped(title)}</text>\n' if title else ""
    )
    return f'<svg viewBox="0 0 {_WIDTH} {height}" role="img">\n{heading}{body}</svg>\n'


def legend() -> Iterator[str]:
    """Yield what the shades mean."""
    for number in range(_SHADES):
        meaning = {0: "the best fifth", _SHADES - 1: "the worst"}.get(number, "")
        yield f'<span class="swatch s{number}"></span> {meaning} '
