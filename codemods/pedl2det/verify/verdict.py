"""The verdict on a migrated trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from pedl2det.analysis.metric_names import MetricNames
from pedl2det.engine.result import Proof
from pedl2det.findings import Finding
from pedl2det.report.text import plural
from pedl2det.verify.compare import Comparison
from pedl2det.verify.length import TrainingLength

_SHOWN = 3


class Conclusion(StrEnum):
    """How a verification ends."""

    EQUAL = "equal"
    DIFFERENT = "different"
    NOT_REPEATABLE = "not repeatable"
    OLD_FAILS = "old does not train"
    NEW_FAILS = "new does not train"
    LEFT = "left"
    NOT_VERIFIED = "not verified"

    @property
    def exit_code(self) -> int:
        """The exit code of ``pedl2det verify``."""
        codes = {Conclusion.EQUAL: 0, Conclusion.OLD_FAILS: 2, Conclusion.NOT_VERIFIED: 2}
        return codes.get(self, 1)


@dataclass(frozen=True)
class CheckedAssumption:
    """An assumption that a rewrite rests on, and whether it held.

    Attributes:
        sentence: the assumption.
        path: the file of the rewritten place.
        line: its line, from 1.
        answer: whether it held, and if not, where the runs part.
    """

    sentence: str
    path: Path
    line: int
    answer: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: assumes: {self.sentence}: {self.answer}"


@dataclass(frozen=True)
class Verdict:
    """Whether a trial trains the same after its migration.

    Attributes:
        outcome: how the verification ended.
        message: the verdict in one line, with its scope and what it leaves open.
        directory: the trial.
        comparison: what was compared; None if a trial does not train or is not migrated.
        assumptions: the assumptions of the rewrite.
        length: how much was trained.
        names: the new names of the old trial's metrics, where they differ.
        reasons: what may keep the old trial from repeating itself.
        notes: what else there is to know.
        left: what migrate left, if the trial was not migrated.
        stack: the traceback of the trial that does not train.
        differently: what trains differently from the old harness, as migrate says it.
        causes: what may have made the trainings differ, the likeliest first.
        proof: what reports show of it.
    """

    outcome: Conclusion
    message: str
    directory: Path
    comparison: Comparison | None = None
    assumptions: tuple[CheckedAssumption, ...] = ()
    length: TrainingLength | None = None
    names: MetricNames | None = None
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    left: tuple[Finding, ...] = ()
    stack: str = ""
    differently: tuple[Finding, ...] = ()
    causes: tuple[str, ...] = ()
    proof: Proof | None = None

    @property
    def refutes(self) -> bool:
        """Whether the migrated trial fails or differs, while the old one repeats itself."""
        return self.outcome in (Conclusion.DIFFERENT, Conclusion.NEW_FAILS)

    @property
    def is_equal(self) -> bool:
        """Whether old and new train the same."""
        return self.outcome is Conclusion.EQUAL


def describe_equal(
    comparison: Comparison,
    length: TrainingLength,
    known: Sequence[str] = (),
    settings: Sequence[str] = (),
    *,
    is_late: bool = False,
) -> str:
    """Return the message on trials that are equal.

    Args:
        comparison: what was compared.
        length: how much was trained.
        known: the places of known differences.
        settings: the keys in which the configs differ.
        is_late: whether the known differences show only after some batches.
    """
    trained, asked = comparison.batches, length.batches or comparison.batches
    is_over = length.is_whole or trained < asked
    if trained < asked:
        scope = f"all {trained:,} batches, after which both stopped"
    elif length.is_whole:
        scope = f"all {trained:,} batches"
    else:
        of = f" of {length.total:,}" if length.total is not None else ""
        scope = f"{trained:,}{of} batches"
    message = f"equal for {scope}"
    if known:
        count = plural(len(known), "known difference")
        state = "did not show" if is_over else "not reached" if is_late else "did not show so far"
        message += f"; {count} {state}: {_listed(known)}"
    if settings:
        message += f"; the configs differ in {_listed(settings)}"
    return message


def describe_different(comparison: Comparison) -> str:
    """Return the message on trials that differ."""
    if not comparison.differences:
        return "different: there is nothing to compare"
    if comparison.only_length_differs:
        return f"different: {comparison.differences[0].text}"
    batch = comparison.first_batch
    where = f"from batch {batch:,} on" if batch is not None else "at the end only"
    if comparison.largest == 0 and not comparison.only_numbers_differ:
        return f"different {where}: names, shapes or counts differ"
    return f"different {where}: the largest difference is {comparison.largest:.3g}"


def _listed(names: Sequence[str]) -> str:
    """Some names, with how many more there are."""
    names = list(dict.fromkeys(names))
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def with_assumptions(verdict: Verdict, assumptions: tuple[CheckedAssumption, ...]) -> Verdict:
    """Return a verdict with its assumptions, each with whether it held."""
    match verdict:
        case Verdict(outcome=Conclusion.EQUAL):
            answer = "held"
        case Verdict(comparison=Comparison(only_length_differs=True)):
            answer = "held"
        case Verdict(outcome=Conclusion.DIFFERENT, comparison=Comparison(first_batch=batch)):
            where = f"the runs differ from batch {batch} on" if batch else "the weights differ"
            only = "" if len(assumptions) == 1 else "one of these "
            answer = f"{only}may be false: {where}"
        case _:
            answer = f"unknown: {verdict.outcome}"
    return replace(verdict, assumptions=tuple(replace(one, answer=answer) for one in assumptions))
