"""Which checkpoints of a trial stay: arithmetic over their batches and validations. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Retention:
    """How many checkpoints stay.

    Attributes:
        best: those of the best validations.
        latest: those that have trained most batches.
        smaller_is_better: whether a smaller value makes a validation better.
    """

    best: int
    latest: int
    smaller_is_better: bool


def superseded(
    checkpoints: Mapping[str, int],
    validations: Mapping[int, float],
    keep: Retention,
    *,
    training: bool,
) -> set[str]:
    """The checkpoints that are neither among the best nor among the latest.

    Asking after every new checkpoint gives, in the end, the same as asking once at the end: what
    is not among the best so far never will be.

    Args:
        checkpoints: the batches of each checkpoint, by its name.
        validations: the searcher's metric at each validated batch.
        keep: how many stay.
        training: whether training goes on, so that the latest must stay to go on from.
    """
    by_batches = sorted(checkpoints, key=lambda name: checkpoints[name], reverse=True)
    ranked = [name for name in by_batches if _is_number(validations.get(checkpoints[name]))]
    sign = 1 if keep.smaller_is_better else -1
    # Of equally good ones the earlier is the better, as the policy "best" has it.
    ranked.sort(key=lambda name: (sign * validations[checkpoints[name]], checkpoints[name]))
    latest = max(keep.latest, 1) if training else keep.latest
    return set(checkpoints) - set(ranked[: keep.best]) - set(by_batches[:latest])


def _is_number(value: float | None) -> bool:
    return value is not None and not math.isnan(value)
