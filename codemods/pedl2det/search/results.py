"""The trials of a search, the best first, as a table in lines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from pedl2det.visible import visible
from pedl2det_runtime.search.study import Result

#: The columns beside the hyperparameters that vary.
_HEAD, _TAIL = ("trial",), ("batches", "metric", "state")


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
