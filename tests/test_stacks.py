"""Stacks: several batches at once are the batches that one by one would be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pedl2det_runtime.data import feed
from pedl2det_runtime.data.feed import ArrayStacks, SequenceStacks
from pedl2det_runtime.data.loaders import ArraySequence
from pedl2det_runtime.data.sampler import Sampler
from pedl2det_runtime.data.tensors import standardized
from pedl2det_runtime.data.workers import Workers
from pedl2det_runtime.errors import InvalidExperimentException


def batches_of(stack: Any) -> list[list[Any]]:
    """The arrays of each batch of a stack, as lists."""
    arrays = list(leaves(stack))
    return [[array[place].tolist() for array in arrays] for place in range(len(arrays[0]))]


def leaves(part: Any) -> Iterator[Any]:
    if isinstance(part, dict):
        part = list(part.values())
    if isinstance(part, list | tuple):
        for one in part:
            yield from leaves(one)
    else:
        yield part


@given(
    records=st.integers(1, 40),
    size=st.integers(1, 12),
    start=st.integers(0, 20),
    seed=st.none() | st.integers(0, 5),
    keeps_partial=st.booleans(),
    asked=st.lists(st.integers(1, 9), min_size=1, max_size=8),
)
def test_stacks_of_arrays_are_the_batches_in_their_order(
    records: int, size: int, start: int, seed: int | None, keeps_partial: bool, asked: list[int]
) -> None:
    size = min(size, records)
    x = np.arange(records * 3.0).reshape(records, 3)
    data = ({"a": x, "b": x[:, :1] > 4}, [np.arange(records)])
    sequence = ArraySequence(data, size, keeps_partial_batch=keeps_partial)
    reader = ArrayStacks(sequence, Sampler(len(sequence), seed).passes(start))

    found: list[Any] = []
    for most in asked:
        taken = batches_of(reader.take(most))
        assert 1 <= len(taken) <= most
        found += taken

    order = [
        index for part in several(Sampler(len(sequence), seed).passes(start)) for index in part
    ]
    wanted = [list(leaves(standardized(sequence[index]))) for index in order[: len(found)]]
    assert found == [[array.tolist() for array in batch] for batch in wanted]


def several(passes: Iterator[list[int]]) -> list[list[int]]:
    return [next(passes) for _ in range(80)]


def test_a_stack_is_of_limited_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "LARGEST_STACK", 3 * 4 * 8)
    x = np.zeros((100, 2))  # 64 bytes a batch, with the targets 96
    sequence = ArraySequence((x, x[:, 0]), 4)
    reader = ArrayStacks(sequence, Sampler(len(sequence)).passes(0))

    assert len(batches_of(reader.take(50))) == 1
    sequence = ArraySequence((x[:, 0], x[:, 0]), 1)
    assert len(batches_of(ArrayStacks(sequence, Sampler(100).passes(0)).take(50))) == 6


class Growing:
    """A sequence whose batches have three sizes."""

    def __len__(self) -> int:
        return 9

    def __getitem__(self, index: int) -> Any:
        return np.full((1 + index // 3, 2), float(index)), [index] * (1 + index // 3)


KINDS = [Workers(0), Workers(1), Workers(3), Workers(2, processes=True)]


@pytest.mark.parametrize("workers", KINDS, ids=["none", "thread", "threads", "processes"])
def test_stacks_of_a_sequence_end_where_the_shapes_change(workers: Workers) -> None:
    reader = SequenceStacks(Growing(), Sampler(9).passes(0), workers, 0)

    sizes, found = [], []
    try:
        while len(found) < 18:
            taken = batches_of(reader.take(5))
            sizes.append(len(taken))
            found += taken
    finally:
        reader.close()

    assert max(sizes) <= 3
    assert [x[0][0] for x, *_ in found] == [*range(9), *range(9)]


def test_without_workers_a_stack_is_as_long_as_asked() -> None:
    reader = SequenceStacks(Growing(), Sampler(9).passes(0), Workers(0), 0)

    assert [len(batches_of(reader.take(2))) for _ in range(6)] == [2, 1, 1, 2, 2, 1]


def test_what_fails_within_a_stack_fails_when_its_batch_is_asked_for() -> None:
    class Failing(Growing):
        def __getitem__(self, index: int) -> Any:
            if index == 2:
                raise ValueError("2.png")
            return super().__getitem__(index)

    reader = SequenceStacks(Failing(), Sampler(9).passes(0), Workers(0), 0)

    assert len(batches_of(reader.take(9))) == 2
    with pytest.raises(ValueError, match=r"2\.png"):
        reader.take(9)


def test_a_batch_that_does_not_match_is_named_by_its_number() -> None:
    import tensorflow as tf

    class Changing(Growing):
        def __getitem__(self, index: int) -> Any:
            return np.zeros((2, 2), "float32" if index < 4 else "int64")

    reader = SequenceStacks(Changing(), Sampler(9).passes(0), Workers(0), 0)
    reader.take(1)
    reader.spec = tf.TensorSpec([None, None], tf.float32)
    reader.take(3)
    with pytest.raises(InvalidExperimentException, match=r"Changing: batch 5 of this run is int64"):
        reader.take(3)


def test_arrays_of_objects_are_numbers_if_they_hold_some() -> None:
    numbers = np.array([[1, 2.5, True], [None, np.int64(3), 0]], dtype=object)
    ragged = np.array([[1], [1, 2]], dtype=object)
    texts = np.array([["1", "2"]], dtype=object)

    found = standardized((numbers, {"ragged": ragged, "texts": texts}))

    assert found[0].dtype == np.float32
    np.testing.assert_array_equal(found[0], [[1, 2.5, 1], [np.nan, 3, 0]])
    assert found[1]["ragged"] is ragged and found[1]["texts"] is texts
