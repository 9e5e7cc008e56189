"""What may make two trainings differ: where they part, and what keeps one from repeating."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from pedl2det.findings import Finding
from pedl2det.verify.compare import Comparison
from pedl2det.visible import shown

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
    """Return the likely causes of a difference, the likeliest first.

    Args:
        comparison: what differs.
        known: the places of which migrate says that they train differently.
    """
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
    """Return places in the files of a trial that may keep it from repeating itself.

    Args:
        files: the files of the trial.
        home: its directory; places are relative to it.
    """
    found: list[str] = []
    for path in sorted(files):
        name = path.relative_to(home) if path.is_relative_to(home) else path
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
            code = line.partition("#")[0].strip()
            reasons = (reason for reason, pattern in _REASONS.items() if pattern.search(code))
            found += (f"{name}:{number}: {reason}: {code}" for reason in reasons)
    more = len(found) - _SHOWN_REASONS
    return (*found[:_SHOWN_REASONS], *((f"and {more} more places",) if more > 0 else ()))
