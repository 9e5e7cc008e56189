"""The verdict on a migrated trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from pedl2det.analysis.metric_names import MetricNames
from pedl2det.engine.migration import Proof
from pedl2det.findings import Finding
from pedl2det.report.text import plural
from pedl2det.verify.compare import Comparison
from pedl2det.verify.training import TrainingLength

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
class Verdict(Proof):
    """Whether a trial trains the same after its migration, with all that was seen."""

    outcome: Conclusion
    comparison: Comparison | None = None  # None if a trial does not train or is not migrated
    length: TrainingLength | None = None  # how much was trained
    pace: float = 0.0  # batches a second, of both trials at the same time
    names: MetricNames | None = None  # new names of the old trial's metrics, where they differ
    notes: tuple[str, ...] = ()  # more that is worth knowing
    left: tuple[Finding, ...] = ()  # what migrate left, if the trial was not migrated
    stack: str = ""  # the traceback of the trial that does not train
    differently: tuple[Finding, ...] = ()  # what trains differently, as migrate reports it


def describe_equal(
    comparison: Comparison,
    length: TrainingLength,
    known: Sequence[str] = (),
    settings: Sequence[str] = (),
) -> str:
    """Return the message on equal trials: scope, known differences, keys of differing configs."""
    trained, asked = comparison.batches, length.batches or comparison.batches
    if trained < asked:
        scope = f"all {trained:,} batches, after which both stopped"
    elif length.is_whole:
        scope = f"all {trained:,} batches"
    else:
        of = f" of {length.total:,}" if length.total is not None else ""
        scope = f"{trained:,}{of} batches"
    message = f"equal for {scope}"
    if known:
        state = "did not show" if scope.startswith("all") else "did not show so far"
        message += f"; {plural(len(known), 'known difference')} {state}: {listed(known)}"
    if settings:
        message += f"; the configs differ in {listed(settings)}"
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


def listed(names: Sequence[str]) -> str:
    """Return some names in one line, with how many more there are."""
    names = list(dict.fromkeys(names))
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
