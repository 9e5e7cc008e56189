"""AttributeChanges: save the changed attributes of an object and restore them in a new one."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from pedl2det_runtime.checkpoint import safe_pickle
from pedl2det_runtime.data.attribute_changes import AttributeChanges


class Thing:
    """Anything that remembers."""

    def __init__(self, value: Any = None) -> None:
        self.value: Any = value
        self.last: Any = None


def carried(before: Any, after: Any) -> Any:
    """What a new object has, built with ``before``, when the old one had changed to ``after``."""
    old = Thing(before)
    tracker = AttributeChanges(old)
    old.value = after
    new = Thing(before)
    AttributeChanges(new).restore(safe_pickle.loads(safe_pickle.dumps(tracker.changes())))
    return new.value


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (0, 3),
        (0.0, np.float32(0.5)),
        (None, [1.0, 2.0]),
        ([1], None),
        ([], ["a", 1, None]),
        ((), (1, (2, "b"))),
        ({}, {"epoch": 3, "losses": [0.5]}),
        (set(), {1, 2}),
        (np.int64(1), np.int64(7)),
    ],
)
def test_a_value_comes_back_as_it_was(before: Any, after: Any) -> None:
    back = carried(before, after)

    assert back == after
    assert type(back) is type(after)


def test_arrays_lists_and_dicts_are_changed_in_place() -> None:
    for before, after in (
        (np.arange(3), np.array([2, 0, 1])),
        ([0, 1], [1, 0, 2]),
        ({"a": 1}, {"b": 2}),
    ):
        old = Thing(before.copy())
        tracker = AttributeChanges(old)
        old.value = after
        changes = tracker.changes()
        shared = before.copy()
        AttributeChanges(new := Thing(shared)).restore(changes)
        assert new.value is shared
        assert np.array_equal(list(shared), list(after))


def test_arrays_in_a_pair_are_changed_in_place() -> None:
    old, labels = Thing((np.ones(3), np.zeros(3))), np.zeros(3)
    tracker = AttributeChanges(old)
    old.value[1][:] = 2.0
    new = Thing((np.ones(3), labels))

    AttributeChanges(new).restore(safe_pickle.loads(safe_pickle.dumps(tracker.changes())))

    assert new.value[1] is labels and labels.tolist() == [2.0, 2.0, 2.0]


class Rows:
    """A sequence that remembers what it has drawn."""

    def __init__(self) -> None:
        self.generator, self.drawn = np.random.RandomState(1), 0

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> float:
        self.drawn += 1
        return float(self.generator.random_sample())

    def on_epoch_end(self) -> None:
        """Go on."""


def test_a_sequence_in_a_sequence_goes_on() -> None:
    old, new = Thing(Rows()), Thing(Rows())
    old.value.owner = old  # the way back ends there
    tracker = AttributeChanges(old)
    old.value[0]

    AttributeChanges(new).restore(safe_pickle.loads(safe_pickle.dumps(tracker.changes())))

    assert (new.value.drawn, new.value[1]) == (1, old.value[1])


@pytest.mark.parametrize(
    "make", [lambda: np.random.default_rng(1), lambda: np.random.RandomState(1), random.Random]
)
def test_random_generators_go_on(make: Any) -> None:
    old, new = Thing(make()), Thing(make())
    tracker = AttributeChanges(old)
    old.value.random()
    AttributeChanges(new).restore(safe_pickle.loads(safe_pickle.dumps(tracker.changes())))

    assert new.value.random() == old.value.random()


def test_what_did_not_change_or_is_no_data_is_left_out() -> None:
    thing = Thing({"a": [1, np.arange(3)]})
    thing.open = print  # type: ignore[attr-defined]
    thing.copy = [1, 2]  # type: ignore[attr-defined]
    tracker = AttributeChanges(thing)
    thing.copy = [1, 2]  # type: ignore[attr-defined]
    thing.open = len  # type: ignore[attr-defined]

    assert tracker.changes() == {}


def test_beside_large_arrays_small_ones_are_compared_whole_and_large_ones_in_blocks() -> None:
    owner = Thing(np.zeros(2**24))  # 128 MB
    owner.last = np.zeros(100_003, "int8")
    tracker = AttributeChanges(owner)
    assert tracker.changes() == {}

    for start in range(0, 2**24 - 2**12, 2**21 + 77):
        owner.value[start : start + 2**12] = 1.0  # 32 kB
        assert set(tracker.changes()) == {"value"}
        owner.value[start : start + 2**12] = 0.0
    owner.last[12_345] = 1
    assert set(tracker.changes()) == {"last"}


@pytest.mark.parametrize("kind", ["<U3", "S2", "M8[D]", "bool", "float16"])
def test_arrays_of_any_plain_kind_are_compared(kind: str) -> None:
    owner = Thing(np.zeros((4, 3), kind)[:, ::2])
    tracker = AttributeChanges(owner)
    assert tracker.changes() == {}

    owner.value[1, 1] = np.ones((), kind)
    assert set(tracker.changes()) == {"value"}
