"""Whether the processes of a group called the same."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pedl2det_runtime.distributed.process_groups import Collective, Step, check_order
from pedl2det_runtime.errors import DistributedError

FIRST = Step(1, Collective.ALLGATHER)


@given(st.lists(st.sampled_from([FIRST, Step(2, "allgather"), Step(1, "gather")]), min_size=1))
def test_steps_are_in_order_exactly_if_all_are_the_same(steps: list[Step]) -> None:
    is_ordered = len(set(steps)) == 1
    with contextlib.nullcontext() if is_ordered else pytest.raises(DistributedError):
        check_order(steps)
