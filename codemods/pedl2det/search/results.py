"""The trials of a search, the best first: as a table in lines, and as a page with curves."""

from __future__ import annotations

import datetime
import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pedl2det import __version__
from pedl2det.report.html import render
from pedl2det.report.scale import Scale
from pedl2det.visible import visible
from pedl2det_runtime.search.study import Result

#: The columns beside the hyperparameters that vary.
_HEAD, _TAIL = ("trial",), ("batches", "metric", "state")
_LEFT, _WIDTH, _TOP, _HEIGHT = 70, 960, 26, 260  # of a chart

Points = list[tuple[float, float]]


#: Lines of shares of the width with heights, the best trial first; axes, each at its share of the
#: width; the batch at the right end, 0 if it is not about batches.
Chart = tuple[list[Points], list[tuple[float, str, Scale]], int]


def sorted_results(results: Sequence[Result], *, smaller_is_better: bool) -> list[Result]:
    """Return the trials by their best metric; those without one at the end."""
    sign = 1 if smaller_is_better else -1

    def place(one: Result) -> tuple[bool, float, int]:
        has_none = one.best is None or math.isnan(one.best)
        return has_none, 0.0 if has_none else sign * (one.best or 0.0), one.number

    return sorted(results, key=place)


def _varying(results: Sequence[Result]) -> list[str]:
    """The dotted names of the hyperparameters that are not the same in all trials."""
    values = [dict(_flat(one.hparams)) for one in results]
    names = dict.fromkeys(name for one in values for name in one)
    return [name for name in names if len({repr(one.get(name)) for one in values}) > 1]


def _row(result: Result, names: Sequence[str]) -> list[str]:
    """A trial as texts: number, hyperparameters, batches, metric, state."""
    values = dict(_flat(result.hparams))
    batches = str(max(result.values, default=""))
    metric = "" if result.best is None else f"{result.best:.6g}"
    shown = (_number_or_text(values.get(name)) for name in names)
    return [str(result.number), *shown, batches, metric, result.state]


def lines(results: Sequence[Result]) -> Iterator[str]:
    """Yield the table as aligned lines."""
    names = _varying(results)
    rows = [[*_HEAD, *names, *_TAIL], *(_row(one, names) for one in results)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for one in rows:
        cells = (text.ljust(width) for text, width in zip(one, widths, strict=True))
        yield "  ".join(cells).rstrip()


def _flat(hparams: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The hyperparameters by dotted names."""
    for name, value in hparams.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _number_or_text(value: Any) -> str:
    """A value of a hyperparameter, short enough for a column."""
    return f"{value:.4g}" if isinstance(value, float) else visible(str(value))


def write_page(file: Path, config: Any, results: Sequence[Result], out: Path) -> None:
    """Write the page of a search, whose trials come with the best first."""
    names, metric = _varying(results), config.searcher.metric
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
        head=(*_HEAD, *names, *_TAIL),
        rows=[(_row(result, names), result.error) for result in results],
        text_of=_number_or_text,
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
    scale = Scale([value for _, value in points], _TOP, _HEIGHT, may_be_log=True)
    lines = [[(batch / last, scale.y(value)) for batch, value in values] for values in found]
    return lines if points else [], [(0, "", scale)], last


def _parallel(names: Sequence[str], metric: str, results: Sequence[Result]) -> Chart:
    """A line for each trial across one axis for each hyperparameter and the metric."""
    shown = [one for one in results if one.best is not None and math.isfinite(one.best)]
    if not (names and shown):
        return [], [], 0
    hparams = [dict(_flat(result.hparams)) for result in shown]
    columns = [[values.get(name) for values in hparams] for name in names]
    columns.append([result.best for result in shown])
    scales = [Scale(column, _TOP, _HEIGHT, may_be_log=True) for column in columns]
    shares = [number / len(names) for number in range(len(columns))]
    lines = [
        [
            (share, scale.y(value))
            for share, scale, value in zip(shares, scales, values, strict=True)
        ]
        for values in zip(*columns, strict=True)
    ]
    return lines, [*zip(shares, [*names, metric], scales, strict=True)], 0
