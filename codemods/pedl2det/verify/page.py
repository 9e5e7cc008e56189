"""A verdict as one HTML page, for the person who signs the migration off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from pedl2det.engine.result import NewFile, Proof
from pedl2det.errors import Pedl2DetError
from pedl2det.findings import Finding
from pedl2det.report.changes import side_by_side
from pedl2det.report.hiding import Hider
from pedl2det.report.html import render
from pedl2det.verify.compare import Tensor
from pedl2det.verify.curves import curves_of, drawing
from pedl2det.verify.verdict import Verdict
from pedl2det.visible import shown

Rows = list[tuple[str, ...]]


def write_report(
    path: Path, verdict: Verdict, proof: Proof, old: Path, new: Path, files: Sequence[NewFile]
) -> None:
    """Write a verdict as an HTML page.

    Args:
        path: the file to write.
        verdict: the verdict.
        proof: the verdict with its circumstances.
        old: the results directory of the old trial.
        new: that of the new one.
        files: the files in which the trials differ.

    Raises:
        Pedl2DetError: it cannot be written there.
    """
    name, comparison = verdict.directory.resolve().name, verdict.comparison
    notes = [verdict.message, *([f"Trained: {verdict.length}."] if verdict.length else [])]
    shows: dict[str, object] = {}
    if comparison:
        notes.append(f"Compared to the last bit: {comparison.described}.")
        curves = curves_of(old, verdict.names), curves_of(new)
        metrics = dict.fromkeys([*curves[0], *curves[1]])
        shows = {
            "differences": [(difference.text,) for difference in comparison.differences],
            "drawings": [drawing(one, *(by.get(one, {}) for by in curves)) for one in metrics],
            "layers": [*_layers(comparison.weights)],
        }
    hider = Hider(tuple({file.path.parent for file in files}))
    text = render(
        "verify/page.html.j2",
        title=f"pedl2det verify {name}",
        name=name,
        verdict=verdict,
        proof=proof,
        notes=[*notes, *verdict.notes],
        left=_findings(verdict.left),
        differently=_findings(verdict.differently),
        files=[(file.path, side_by_side(file, hider)) for file in files],
        **shows,
    )
    write_page(path, text)


def write_page(path: Path, text: str | None) -> None:
    """Write a page; without a text, remove that of an earlier verification.

    Raises:
        Pedl2DetError: it cannot be written, or there is something else.
    """
    try:
        if text is None:
            path.resolve().unlink(missing_ok=True)  # a link stays
        else:
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Pedl2DetError(f"{path}: cannot be written: {error.strerror}") from None


def _findings(findings: Iterable[Finding]) -> Rows:
    """The place, the message and the rule of each finding."""
    hider = Hider(tuple({finding.path.parent for finding in findings}))
    return [
        (f"{shown(finding.path)}:{finding.place}", hider.in_prose(finding.message), finding.rule)
        for finding in findings
    ]


def _layers(tensors: Sequence[Tensor]) -> Iterator[tuple[str, str, Rows]]:
    """Each layer, whether it is "equal" or "different", and its tensors."""
    for layer, group in groupby(tensors, lambda tensor: tensor.layer):
        rows: Rows = [
            (
                tensor.name,
                " x ".join(map(str, tensor.shape)) or "scalar",
                tensor.difference.text if tensor.difference is not None else "equal",
            )
            for tensor in group
        ]
        is_equal = all(row[-1] == "equal" for row in rows)
        yield layer, "equal" if is_equal else "different", rows
