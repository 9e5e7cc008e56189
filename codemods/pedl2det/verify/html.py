"""Write a verdict as one HTML page with the curves of both trials."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from pedl2det.analysis.metric_names import MetricNames
from pedl2det.errors import Pedl2DetError
from pedl2det.report.page import escaped, page
from pedl2det.verify.compare import Comparison
from pedl2det.verify.verdict import Verdict

_BODY = """<h1>{title}: <span class="{style}">{outcome}</span></h1>
<p>{message}</p>
{compared}<ul>{items}</ul>
{curves}"""
_COMPARED = """<p>Trained: {length}. Compared to the last bit: {batches} batches, {reports} reports
with {values} metric values, {tensors} weight tensors with {numbers} numbers. The largest difference
is {largest}.</p>
"""


def write_report(path: Path, verdict: Verdict, old: Path, new: Path) -> None:
    """Write a verdict as an HTML page.

    Args:
        path: the file.
        verdict: the verdict.
        old: the results directory of the old trial.
        new: that of the new one.

    Raises:
        Pedl2DetError: matplotlib, which draws the curves, is not installed.
    """
    name = verdict.directory.resolve().name
    result = verdict.comparison
    lines = [
        *(one.text for one in (result.differences if result else ())),
        *verdict.reasons,
        *verdict.notes,
        *map(str, verdict.assumptions),
        *map(str, verdict.left),
    ]
    body = _BODY.format(
        title=escaped(name),
        style="equal" if verdict.is_equal else "different",
        outcome=verdict.outcome,
        message=escaped(verdict.message),
        compared=_compared(result, verdict) if result else "",
        items="".join(f"<li>{escaped(line)}</li>" for line in lines),
        curves=_curves(_series(old, verdict.names), _series(new)) if result else "",
    )
    path.write_text(page(f"pedl2det verify {name}", body), encoding="utf-8")


def _compared(result: Comparison, verdict: Verdict) -> str:
    return _COMPARED.format(
        batches=result.batches,
        reports=result.reports,
        values=result.values,
        tensors=result.tensors,
        numbers=result.numbers,
        largest=f"{result.largest:.3g}",
        length=verdict.length,
    )


def _series(
    run: Path, names: MetricNames | None = None
) -> dict[str, tuple[list[int], list[float]]]:
    """Each metric of a run, by its new name, over the batches of its reports."""
    series: dict[str, tuple[list[int], list[float]]] = {}
    for line in (run / "metrics.jsonl").read_text().splitlines():
        report: dict[str, Any] = json.loads(line)
        new = names.of(report["kind"]) if names is not None else {}
        for name, value in report["metrics"].items():
            batches, values = series.setdefault(new.get(name, name), ([], []))
            batches.append(report["batches"])
            values.append(value)
    return series


def _curves(
    old: dict[str, tuple[list[int], list[float]]], new: dict[str, tuple[list[int], list[float]]]
) -> str:
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise Pedl2DetError(
            "--report draws its curves with matplotlib: pip install 'pedl2det[report]'"
        ) from None
    names = list(dict.fromkeys([*old, *new]))
    figure = Figure(figsize=(9, 2.5 * len(names)), layout="constrained")
    for axes, name in zip(figure.subplots(len(names), squeeze=False)[:, 0], names, strict=True):
        for run, label, style in ((old, "old", "-"), (new, "new", "--")):
            if name in run:
                axes.plot(*run[name], style, label=label)
        axes.set(title=name, xlabel="batches")
        axes.legend()
    image = io.StringIO()
    figure.savefig(image, format="svg")
    return image.getvalue().partition("<svg")[1] + image.getvalue().partition("<svg")[2]
