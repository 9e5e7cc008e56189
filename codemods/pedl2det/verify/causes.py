"""What may have made two trainings differ, told by where they part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pedl2det.findings import Finding
from pedl2det.verify.compare import Comparison
from pedl2det.visible import shown


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
        *(f"A known difference: {one}" for one in places),
        _by_place(replace(comparison, differences=rest)),
    )


def _by_place(comparison: Comparison) -> str:
    """The likely cause of a difference, told by where the runs part."""
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
        passes = (batch - 1) // epoch
        return (
            f"All is equal up to the end of epoch {passes}: the order of the next epoch, or what "
            "a callback does at its end."
        )
    return (
        f"Batches 1 to {batch - 1} are equal: weights and data begin alike. Look at what depends "
        "on the batch: a schedule, random numbers drawn on the way, or a callback."
    )
