"""Decide which checkpoints of a trial to keep, by their batches and validations. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Retention:
    """The number of checkpoints to keep.

    Attributes:
        best: number of checkpoints with the best validation metric.
        latest: number of checkpoints with the most batches.
        smaller_is_better: whether a smaller metric is better.
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
    """Return the names of checkpoints that are neither among the best nor among the latest.

    Pruning after every checkpoint keeps the same checkpoints as pruning once at the end: a
    checkpoint that is not among the best so far is not among the best later.

    Args:
        checkpoints: the batches of each checkpoint, by name.
        validations: the searcher's metric at each validated batch.
        keep: how many to keep.
        training: whether training continues; the latest checkpoint is then kept for a resume.
    """
    by_batches = sorted(checkpoints, key=lambda name: checkpoints[name], reverse=True)
    ranked = [name for name in by_batches if _is_number(validations.get(checkpoints[name]))]
    sign = 1 if keep.smaller_is_better else -1
    # The earlier of two equal checkpoints is better, as in the policy "best".
    ranked.sort(key=lambda name: (sign * validations[checkpoints[name]], checkpoints[name]))
    latest = max(keep.latest, 1) if training else keep.latest
    return set(checkpoints) - set(ranked[: keep.best]) - set(by_batches[:latest])


def _is_number(value: float | None) -> bool:
    return value is not None and not math.isnan(value)
