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
        self.value = value


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
