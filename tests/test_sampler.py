"""The sampler: which batch comes next."""

from __future__ import annotations

from itertools import chain, islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pedl2det_runtime.data.sampler import Sampler
from pedl2det_runtime.errors import CheckFailedError

samplers = st.builds(
    lambda length, seed, size, rank: Sampler(length + size, seed, rank % size, size),
    st.integers(0, 20),
    st.none() | st.integers(0, 2**31),
    st.integers(1, 4),
    st.integers(0, 3),
)


def first(sampler: Sampler, count: int, start: int = 0) -> list[int]:
    return list(islice(chain.from_iterable(sampler.passes(start)), count))


def test_an_unshuffled_pass_keeps_the_order_of_the_data() -> None:
    assert first(Sampler(3), 7) == [0, 1, 2, 0, 1, 2, 0]


def test_the_order_is_that_of_numpys_shuffle_with_the_trial_seed() -> None:
    random, order = np.random.RandomState(7), np.arange(5)
    expected: list[int] = []
    for _ in range(3):
        random.shuffle(order)
        expected += order.tolist()

    assert first(Sampler(5, shuffle_seed=7), 15) == expected


def test_shards_are_strided_and_the_offset_goes_on_over_the_end() -> None:
    # Five batches on two processes: together they read 0 1 2 3 4 0 1 2 3 4 in turns.
    assert first(Sampler(5, rank=0, size=2), 5) == [0, 2, 4, 1, 3]
    assert first(Sampler(5, rank=1, size=2), 5) == [1, 3, 0, 2, 4]


def test_a_start_at_the_end_of_a_pass_yields_the_empty_rest_of_it() -> None:
    assert list(islice(Sampler(3).passes(3), 2)) == [[], [0, 1, 2]]


def test_validation_reads_its_share_in_order() -> None:
    assert Sampler(5, shuffle_seed=3, rank=1, size=2).one_pass() == [1, 3]


@pytest.mark.parametrize(("length", "size"), [(0, 1), (2, 3)])
def test_too_little_data_is_refused(length: int, size: int) -> None:
    with pytest.raises(CheckFailedError):
        Sampler(length, size=size)


@given(samplers, st.integers(0, 60))
def test_starting_late_gives_the_rest_of_the_same_order(sampler: Sampler, start: int) -> None:
    assert first(sampler, 20, start) == first(sampler, start + 20)[start:]


@given(samplers)
def test_the_processes_together_read_every_batch_once_a_pass(sampler: Sampler) -> None:
    if sampler.shuffle_seed is not None:
        sampler = Sampler(sampler.length, sampler.shuffle_seed)
    ranks = [Sampler(sampler.length, None, rank, sampler.size) for rank in range(sampler.size)]
    read = [first(rank, sampler.length) for rank in ranks]

    together = list(chain.from_iterable(zip(*read, strict=True)))
    assert together == list(range(sampler.length)) * sampler.size
