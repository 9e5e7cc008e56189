"""``search.html``: the trials of a search, their curves, and what the good ones have in common."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pedl2det import __version__
from pedl2det.report.page import escaped, page
from pedl2det.search.drawings import Curve, curves, legend, parallel
from pedl2det.search.table import HEAD, TAIL, row, varying
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
