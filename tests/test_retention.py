"""Which checkpoints stay: the best by the searcher's metric, and the latest."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pedl2det_runtime.checkpoint.manager import Retention, superseded

CHECKPOINTS = {"a": 10, "b": 20, "c": 30, "d": 40}
VALIDATIONS = {10: 0.5, 20: 0.1, 30: 0.9, 40: math.nan}


@pytest.mark.parametrize(
    ("best", "latest", "smaller_is_better", "kept"),
    [
        (1, 0, True, "b"),
        (1, 0, False, "c"),
        (2, 0, True, "ab"),
        (2, 0, False, "ac"),
        (4, 0, True, "abc"),  # what is no number is never among the best
        (0, 1, True, "d"),
        (1, 2, False, "cd"),
        (0, 0, True, ""),
    ],
)
def test_the_best_and_the_latest_stay(
    best: int, latest: int, smaller_is_better: bool, kept: str
) -> None:
    keep = Retention(best, latest, smaller_is_better)

    gone = superseded(CHECKPOINTS, VALIDATIONS, keep, training=False)

    assert "".join(sorted(set(CHECKPOINTS) - gone)) == kept


@given(
    st.lists(st.sampled_from([0.0, 0.5, 1.0, math.nan]), max_size=8),
    st.integers(0, 3),
    st.integers(0, 3),
    st.booleans(),
)
def test_pruning_on_the_way_keeps_what_pruning_at_the_end_keeps(
    losses: list[float], best: int, latest: int, smaller_is_better: bool
) -> None:
    keep = Retention(best, latest, smaller_is_better)
    validations = dict(enumerate(losses))
    names = {str(batch): batch for batch in validations}

    left: dict[str, int] = {}
    for name, batch in names.items():
        left[name] = batch
        known = {at: loss for at, loss in validations.items() if at <= batch}
        for gone in superseded(left, known, keep, training=True):
            del left[gone]
    for gone in superseded(left, validations, keep, training=False):
        del left[gone]

    assert set(left) == set(names) - superseded(names, validations, keep, training=False)
