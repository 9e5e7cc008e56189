"""A verdict as one HTML page, for the person who signs the migration off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from pedl2det.engine.result import NewFile, Proof
from pedl2det.errors import Pedl2DetError
from pedl2det.findings import Finding
from pedl2det.report.hiding import Hider
from pedl2det.report.page import escaped, page
from pedl2det.report.proof import facts
from pedl2det.report.side_by_side import table as side_by_side
from pedl2det.report.text import plural
from pedl2det.verify.compare import Tensor
from pedl2det.verify.curves import curves_of, drawing
from pedl2det.verify.verdict import Verdict
from pedl2det.visible import shown


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
    name = verdict.directory.resolve().name
    style = "equal" if verdict.is_equal else "different"
    parts = [f'<h1>{escaped(name)}: <span class="{style}">{verdict.outcome}</span></h1>']
    notes = [verdict.message, *([f"Trained: {verdict.length}."] if verdict.length else [])]
    if verdict.comparison:
        notes.append(f"Compared to the last bit: {verdict.comparison.described}.")
    parts += (f"<p>{escaped(note)}</p>" for note in (*notes, *verdict.notes))
    parts.append(_table(facts(proof).items(), "facts"))
    parts += _differences(verdict)
    if verdict.left:
        parts += "<h2>Left for you</h2>", _findings(verdict.left)
    if verdict.differently:
        parts.append("<h2>What trains differently from the old harness, and why</h2>")
        parts.append(_findings(verdict.differently))
    if verdict.comparison:
        curves = curves_of(old, verdict.names), curves_of(new)
        drawn = (
            drawing(metric, *(one.get(metric, {}) for one in curves))
            for metric in dict.fromkeys([*curves[0], *curves[1]])
        )
        parts += "<h2>Curves</h2>", '<div class="curves">', *drawn, "</div>"
        parts += "<h2>Weights at the end</h2>", *_weights(verdict.comparison.weights)
    if files:
        parts += "<h2>What differs in code and configs</h2>", *_files(files)
    write_page(path, page(f"pedl2det verify {name}", "\n".join(parts)))


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


def _differences(verdict: Verdict) -> Iterator[str]:
    """Where the runs part, why that may be, and all differences."""
    result = verdict.comparison
    if result is None or not result.differences:
        return
    yield "<h2>The difference</h2>"
    if not result.only_length_differs:
        batch = result.first_batch
        yield f"<p>First at batch {batch:,}.</p>" if batch else "<p>At the end only.</p>"
        reasons = [*verdict.reasons, *verdict.causes]
        items = "".join(f"<li>{escaped(reason)}</li>" for reason in reasons)
        yield f"<p>Likely:</p>\n<ul>{items}</ul>"
    yield _table((difference.text,) for difference in result.differences)


def _findings(findings: Iterable[Finding]) -> str:
    """A table of findings."""
    hider = Hider(tuple({finding.path.parent for finding in findings}))
    return _table(
        (
            (
                f"{shown(finding.path)}:{finding.place}",
                hider.in_prose(finding.message),
                finding.rule,
            )
            for finding in findings
        ),
        "places",
    )


def _weights(tensors: Sequence[Tensor]) -> Iterator[str]:
    """Each layer, folded where all of it is equal."""
    for layer, group in groupby(tensors, lambda tensor: tensor.layer):
        own = [*group]
        rows = [
            (
                tensor.name,
                " x ".join(map(str, tensor.shape)) or "scalar",
                tensor.difference.text if tensor.difference is not None else "equal",
            )
            for tensor in own
        ]
        is_equal = all(tensor.difference is None for tensor in own)
        word = "equal" if is_equal else "different"
        yield (
            f"<details{'' if is_equal else ' open'}><summary><code>{escaped(layer)}</code> "
            f'{plural(len(own), "tensor")}: <span class="{word}">{word}</span></summary>\n'
            f"{_table(rows, 'places')}</details>"
        )


def _files(files: Sequence[NewFile]) -> Iterator[str]:
    hider = Hider(tuple({file.path.parent for file in files}))
    for number, file in enumerate(files):
        yield (
            f"<details>\n<summary><code>{escaped(shown(file.path))}</code></summary>\n"
            f"{side_by_side(file, hider, f'file-{number}')}\n</details>"
        )


def _table(rows: Iterable[tuple[str, ...]], style: str = "") -> str:
    cells = ("".join(f"<td>{escaped(cell)}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>\n" for row in cells)
    return f'<div class="table"><table class="{style}">\n{body}</table></div>'
