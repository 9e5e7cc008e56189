"""``search.html``: the trials of a search, their curves, and what the good ones have in common."""

from __future__ import annotations

import datetime
import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pedl2det import __version__
from pedl2det.report.html import render
from pedl2det.report.scale import Scale
from pedl2det.search.table import HEAD, TAIL, flat, number_or_text, row, varying
from pedl2det_runtime.search.study import Result

_LEFT, _WIDTH, _TOP, _HEIGHT = 70, 960, 26, 260  # of a chart

Points = list[tuple[float, float]]


@dataclass(frozen=True)
class Chart:
    """A line for each trial, the best first."""

    lines: list[Points]
    axes: list[tuple[float, str, list[tuple[str, float]]]]  # place, title, values with places
    last: int = 0  # the batch at its right end; 0 if it is not about batches


def write_page(file: Path, config: Any, results: Sequence[Result], out: Path) -> None:
    """Write the page.

    Args:
        file: where to.
        config: the experiment config.
        results: the trials, the best first.
        out: the directory of the search.
    """
    names, metric = varying(results), config.searcher.metric
    states = Counter(result.state for result in results)
    facts = {
        "Date": f"{datetime.datetime.now().astimezone():%Y-%m-%d %H:%M %Z}",
        "Searcher": config.searcher.name,
        "Trials": ", ".join(f"{count} {state}" for state, count in states.items()),
        "Seed": config.reproducibility.experiment_seed,
        "Version": f"pedl2det {__version__}",
    }
    text = render(
        "search/page.html.j2",
        title=f"Search: {config.title}",
        metric=metric,
        better="smaller" if config.searcher.smaller_is_better else "larger",
        facts=facts,
        curves=_curves([_values(result, out, metric) for result in results]),
        parallel=_parallel(names, metric, results),
        head=(*HEAD, *names, *TAIL),
        rows=[(row(result, names), result.error) for result in results],
        left=_LEFT,
        width=_WIDTH,
        top=_TOP,
        bottom=_TOP + _HEIGHT,
    )
    file.write_text(text, encoding="utf-8")


def _values(result: Result, out: Path, metric: str) -> list[tuple[int, float]]:
    """All validations of a trial: those of its log, and those at rungs that it left behind."""
    found = dict(result.values)
    log = out / "trials" / f"{result.number:04}" / "metrics.jsonl"
    for line in log.read_text("utf-8").splitlines() if log.is_file() else ():
        record = json.loads(line)
        value = record["metrics"].get(metric)
        if record["kind"] == "validation" and value is not None:
            found[record["batches"]] = value
    return sorted((at, value) for at, value in found.items() if math.isfinite(value))


def _curves(found: Sequence[list[tuple[int, float]]]) -> Chart:
    """The metric of all trials against batches."""
    points = [point for values in found for point in values]
    last = max((batch for batch, _ in points), default=0) or 1
    scale = _scale([value for _, value in points])
    lines = [[_point(batch / last, scale.y(value)) for batch, value in values] for values in found]
    return Chart(lines if points else [], [_axis(0, "", scale)], last)


def _parallel(names: Sequence[str], metric: str, results: Sequence[Result]) -> Chart:
    """A line for each trial across one axis for each hyperparameter and the metric."""
    shown = [one for one in results if one.best is not None and math.isfinite(one.best)]
    if not (names and shown):
        return Chart([], [])
    hparams = [dict(flat(result.hparams)) for result in shown]
    columns = [[values.get(name) for values in hparams] for name in names]
    columns.append([result.best for result in shown])
    scales = [_scale(column) for column in columns]
    shares = [number / len(names) for number in range(len(columns))]
    lines = [
        [
            _point(share, scale.y(value))
            for share, scale, value in zip(shares, scales, values, strict=True)
        ]
        for values in zip(*columns, strict=True)
    ]
    return Chart(lines, [*map(_axis, shares, [*names, metric], scales)])


def _scale(values: Sequence[Any]) -> Scale:
    return Scale(values, _TOP, _HEIGHT, may_be_log=True)


def _axis(share: float, title: str, scale: Scale) -> tuple[float, str, list[tuple[str, float]]]:
    marks = [(number_or_text(value), y) for value, y in scale.marks]
    return _point(share, 0)[0], title, marks


def _point(share: float, y: float) -> tuple[float, float]:
    return round(_LEFT + (_WIDTH - _LEFT) * share, 1), round(y, 1)
