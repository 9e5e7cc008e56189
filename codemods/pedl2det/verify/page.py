"""A verdict as one HTML page, for the person who signs the migration off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from pedl2det.verify.compare import Comparison, Tensor
from pedl2det.verify.curves import Curve, curves_of, drawing
from pedl2det.verify.verdict import CheckedAssumption, Conclusion, Verdict
from pedl2det.visible import shown

_COMPARED = (
    "Compared to the last bit: {batches:,} batches, {reports:,} reports with {values:,} metric "
    "values, {tensors:,} weight tensors with {numbers:,} numbers."
)


@dataclass(frozen=True)
class Evidence:
    """What a verification has found.

    Attributes:
        verdict: the verdict.
        proof: the verdict with its circumstances.
        old: the results directory of the old trial.
        new: that of the new one.
        files: the files in which the trials differ.
    """

    verdict: Verdict
    proof: Proof
    old: Path
    new: Path
    files: list[NewFile]


def write_report(path: Path, evidence: Evidence) -> None:
    """Write a verdict as an HTML page.

    Raises:
        Pedl2DetError: it cannot be written there.
    """
    name = evidence.verdict.directory.resolve().name
    body = "\n".join(_parts(name, evidence))
    try:
        path.write_text(page(f"pedl2det verify {name}", body), encoding="utf-8")
    except OSError as error:
        raise _unwritten(path, error) from None


def remove_report(path: Path) -> None:
    """Remove a page of an earlier verification.

    Raises:
        Pedl2DetError: there is something else.
    """
    try:
        path.resolve().unlink(missing_ok=True)  # a link stays
    except OSError as error:
        raise _unwritten(path, error) from None


def _unwritten(path: Path, error: OSError) -> Pedl2DetError:
    return Pedl2DetError(f"{path}: cannot be written: {error.strerror}")


def _parts(name: str, evidence: Evidence) -> Iterator[str]:
    verdict = evidence.verdict
    style = "equal" if verdict.is_equal else "different"
    yield f'<h1>{escaped(name)}: <span class="{style}">{verdict.outcome}</span></h1>'
    yield f"<p>{escaped(verdict.message)}</p>"
    if verdict.length:
        yield f"<p>Trained: {escaped(str(verdict.length))}.</p>"
    if verdict.comparison:
        yield f"<p>{_compared(verdict.comparison)}</p>"
    for note in verdict.notes:
        yield f"<p>{escaped(note)}</p>"
    rows = [(escaped(one), escaped(value)) for one, value in facts(evidence.proof).items()]
    yield _table(rows, "facts")
    yield from _differences(verdict)
    if verdict.left:
        yield "<h2>Left for you</h2>"
        yield _findings(verdict.left)
    if verdict.assumptions:
        yield "<h2>Assumptions, and what was proved of each</h2>"
        yield _table([_assumption(one) for one in verdict.assumptions])
    if verdict.differently:
        yield "<h2>What trains differently from the old harness, and why</h2>"
        yield _findings(verdict.differently)
    if verdict.comparison:
        yield "<h2>Curves</h2>"
        yield from _curves(evidence)
        yield "<h2>Weights at the end</h2>"
        yield from _weights(verdict.comparison.weights)
    if evidence.files:
        yield "<h2>What differs in code and configs</h2>"
        yield from _files(evidence.files)


def _compared(result: Comparison) -> str:
    return _COMPARED.format(
        batches=result.batches,
        reports=result.reports,
        values=result.values,
        tensors=result.tensors,
        numbers=result.numbers,
    )


def _differences(verdict: Verdict) -> Iterator[str]:
    """Where the runs part, why that may be, and all differences."""
    result = verdict.comparison
    if result is None or not result.differences:
        return
    yield "<h2>The difference</h2>"
    if not result.only_length_differs:
        yield from _where_and_why(verdict, result.first_batch)
    yield _table([(escaped(one.text),) for one in result.differences])


def _where_and_why(verdict: Verdict, batch: int | None) -> Iterator[str]:
    yield f"<p>First at batch {batch:,}.</p>" if batch else "<p>At the end only.</p>"
    reasons = (*verdict.reasons, *verdict.causes)
    if verdict.outcome is Conclusion.DIFFERENT:
        assumed = (f"An assumption that may be false: {one}" for one in verdict.assumptions)
        reasons = (*reasons, *assumed)
    yield f"<p>Likely:</p>\n<ul>{''.join(f'<li>{escaped(one)}</li>' for one in reasons)}</ul>"


def _assumption(one: CheckedAssumption) -> tuple[str, ...]:
    place = f"<code>{escaped(shown(one.path))}:{one.line}</code>"
    return escaped(one.sentence), place, escaped(one.answer)


def _findings(findings: tuple[Finding, ...]) -> str:
    hider = Hider(tuple({one.path.parent for one in findings}))
    return _table(
        [
            (
                f"<code>{escaped(shown(one.path))}:{one.place}</code>",
                escaped(hider.in_prose(one.message)),
                escaped(one.rule),
            )
            for one in findings
        ]
    )


def _curves(evidence: Evidence) -> Iterator[str]:
    old = curves_of(evidence.old, evidence.verdict.names)
    new = curves_of(evidence.new)
    yield '<div class="curves">'
    for name in dict.fromkeys([*old, *new]):
        yield drawing(name, old.get(name, Curve()), new.get(name, Curve()))
    yield "</div>"


def _weights(tensors: tuple[Tensor, ...]) -> Iterator[str]:
    """Each layer, folded where all of it is equal."""
    for layer, group in groupby(tensors, lambda one: one.layer):
        own = [*group]
        is_equal = all(one.is_equal for one in own)
        style, says = ("equal", "equal") if is_equal else ("different", "different")
        yield (
            f"<details{'' if is_equal else ' open'}><summary><code>{escaped(layer)}</code> "
            f'{plural(len(own), "tensor")}: <span class="{style}">{says}</span></summary>\n'
            f"{_table([_tensor(one) for one in own])}</details>"
        )


def _tensor(one: Tensor) -> tuple[str, ...]:
    shape = " x ".join(map(str, one.shape)) or "scalar"
    told = "equal" if one.is_equal else f"differs by up to {one.gap:.3g}"
    return f"<code>{escaped(one.name)}</code>", shape, told


def _files(files: list[NewFile]) -> Iterator[str]:
    hider = Hider(tuple({file.path.parent for file in files}))
    for number, file in enumerate(files):
        yield (
            f"<details>\n<summary><code>{escaped(shown(file.path))}</code></summary>\n"
            f"{side_by_side(file, hider, f'file-{number}')}\n</details>"
        )


def _table(rows: Sequence[tuple[str, ...]], style: str = "") -> str:
    cells = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>\n" for row in cells)
    return f'<div class="table"><table class="{style}">\n{body}</table></div>'
