"""The verdict on a migrated trial, and what may have caused a difference."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from pedl2det.analysis.metric_names import MetricNames
from pedl2det.engine.result import Proof
from pedl2det.findings import Finding
from pedl2det.report.text import plural
from pedl2det.verify.compare import Comparison
from pedl2det.verify.training import TrainingLength
from pedl2det.visible import shown

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
class Verdict:
    """Whether a trial trains the same after its migration."""

    outcome: Conclusion
    message: str  # the verdict in one line, with its scope and what it leaves open
    directory: Path  # the trial
    comparison: Comparison | None = None  # None if a trial does not train or is not migrated
    length: TrainingLength | None = None  # how much was trained
    names: MetricNames | None = None  # new names of the old trial's metrics, where they differ
    reasons: tuple[str, ...] = ()  # what may keep the old trial from repeating itself
    notes: tuple[str, ...] = ()  # what else there is to know
    left: tuple[Finding, ...] = ()  # what migrate left, if the trial was not migrated
    stack: str = ""  # the traceback of the trial that does not train
    differently: tuple[Finding, ...] = ()  # what trains differently, as migrate says it
    causes: tuple[str, ...] = ()  # what may have made the trainings differ, the likeliest first
    proof: Proof | None = None  # what reports show of it

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

    It names the places of known differences, which may show only after some batches (``is_late``),
    and the keys in which the configs differ (``settings``).
    """
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
        count, is_over = plural(len(known), "known difference"), scope.startswith("all")
        state = "did not show" if is_over else "not reached" if is_late else "did not show so far"
        message += f"; {count} {state}: {listed(known)}"
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


#: What may keep a training from repeating itself, and how code looks that does it.
_REASONS = {
    "draws random numbers that no seed determines": re.compile(
        r"\b(?:default_rng|Random|RandomState|seed|SeedSequence)\((?:seed=)?(?:None)?\)"
        r"|\b(?:urandom|SystemRandom|uuid[14])\(|\bsecrets\.\w+\("
    ),
    "loads batches with several workers: their random draws come in any order": re.compile(
        r"\bworkers=(?!(?:0|1|None)\b)|\buse_multiprocessing=(?!(?:False|None)\b)"
    ),
    "lets a dataset deliver its elements in any order": re.compile(
        r"\bdeterministic=False|\bsloppy=True"
    ),
    "lists files in the order of the file system": re.compile(
        r"(?<!sorted\()\b(?:os\.(?:listdir|scandir|walk)|glob\.i?glob)\("
    ),
    "reads the clock": re.compile(
        r"\btime\.(?:time|time_ns|perf_counter)\(|\bdatetime\.(?:utc)?now\("
    ),
    "starts threads or processes, whose order is not determined": re.compile(
        r"\b(?:Thread|ThreadPoolExecutor|Process|Pool)\("
    ),
}
_SHOWN_REASONS = 5


def likely_causes(comparison: Comparison, known: Sequence[Finding]) -> tuple[str, ...]:
    """Return the likely causes, the first of which are the differences that migrate knows."""
    rest = tuple(one for one in comparison.differences if not one.is_length)
    if not rest:
        return ()
    places = (f"{shown(one.path)}:{one.place}: {one.message}" for one in known)
    return (
        *(f"A known difference: {place}" for place in places),
        _cause_by_place(replace(comparison, differences=rest)),
    )


def _cause_by_place(comparison: Comparison) -> str:
    """The likely cause of a difference by where the runs part."""
    batch, epoch = comparison.first_batch, comparison.epoch
    if not comparison.only_numbers_differ:
        return "Names, shapes or counts differ: the trials do not build or report the same."
    if any(one.is_learning_rate for one in comparison.differences[:1]):
        return (
            "The learning rate is the first to differ: look at what sets it, such as an argument "
            "of the optimizer, a schedule or a callback."
        )
    if batch is None:
        return (
            "All metrics are equal and weights differ: a part of the model that no metric depends "
            "on, or a step after the last batch."
        )
    if batch == 1:
        return (
            "The first batch differs: other initial weights, other data or another order of them, "
            "or another loss."
        )
    if batch == 2:
        return (
            "Batch 1 is equal, so weights and data begin alike, and its step is not: the optimizer "
            "and its settings, the gradients, or the data from batch 2 on."
        )
    if epoch and (batch - 1) % epoch == 0:
        return (
            f"All is equal up to the end of epoch {(batch - 1) // epoch}: the order of the next "
            "epoch, or what a callback does at its end."
        )
    return (
        f"Batches 1 to {batch - 1} are equal: weights and data begin alike. Look at what depends "
        "on the batch: a schedule, random numbers drawn on the way, or a callback."
    )


def likely_reasons(files: Iterable[Path], home: Path) -> tuple[str, ...]:
    """Return the places in the files of a trial that may keep it from repeating itself."""
    found: list[str] = []
    for path in sorted(files):
        name = path.relative_to(home) if path.is_relative_to(home) else path
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
            code = line.partition("#")[0].strip()
            reasons = (reason for reason, pattern in _REASONS.items() if pattern.search(code))
            found += (f"{name}:{number}: {reason}: {code}" for reason in reasons)
    more = len(found) - _SHOWN_REASONS
    return (*found[:_SHOWN_REASONS], *((f"and {more} more places",) if more > 0 else ()))
