"""Plain data as JSON and arrays: what is written is read, and nothing else is created."""

from __future__ import annotations

import enum
import io
import random
from typing import Any

import numpy as np
import pytest

from pedl2det_runtime.checkpoint import plain_data
from pedl2det_runtime.errors import CheckpointError


class Mode(enum.IntEnum):
    TRAIN = 1


def stored(value: Any) -> Any:
    """What is read of plain data that went through files."""
    data, arrays = plain_data.dumps(value)
    file = io.BytesIO()
    np.savez(file, *arrays)
    file.seek(0)
    with np.load(file, allow_pickle=False) as read:
        return plain_data.loads(data, [read[name] for name in read.files])


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return (
            type(other) is np.ndarray
            and (one.dtype, one.shape) == (other.dtype, other.shape)
            and one.tobytes() == other.tobytes()
        )
    if isinstance(one, dict):
        one, other = [*one.items()], [*other.items()]
    if isinstance(one, list | tuple):
        return type(one) is type(other) and [*map(same, one, other)] == [True] * len(other)
    is_equal = one == other if type(one) is int else repr(one) == repr(other)
    return type(one) is type(other) and is_equal


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, 0, -(2**130), 1 << 20_000, 0.1, -0.0, float("nan"), float("inf"), 1j),
        *("", "\ud800\n\0", b"", b"\0a", np.str_("a"), np.bytes_(b"a"), np.float32(0.1)),
        *(np.datetime64("2020-01-01"), np.bool_(True), np.int64(3), np.float64(0.1)),
        *([], [[]], (), (1, ("a",)), {}, {(1, "a"): {2: [3]}, None: b"x"}, set(), frozenset({1})),
        *([*range(1000)], (0.5,) * 1000, [True] * 1000, [2**70] * 1000, [1, 2.0] * 500),
        *([2**63] * 1000, [np.int8(1)] * 200, [float("nan")] * 200, ["a"] * 200),
        *(np.arange(6).reshape(2, 3).T, np.zeros(0), np.array(["a", "bc"]), np.array(b"x")),
        *(np.arange(3, dtype=">i2"), np.array(["2020"], "M8[Y]")),
        np.random.default_rng(1).bit_generator.state,
        np.random.RandomState(1).get_state(legacy=False),
        random.Random(1).getstate(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_written_is_read(value: Any) -> None:
    assert same(stored(value), value)


def test_an_array_that_occurs_twice_is_one_array() -> None:
    array = np.arange(3)

    first, (second,) = stored([array, (array,)])

    assert first is second


@pytest.mark.parametrize(
    "value", [Mode.TRAIN, object(), print, np.array([None]), [{1: Mode}], np.ma.zeros(2)]
)
def test_other_objects_are_refused(value: Any) -> None:
    with pytest.raises(CheckpointError, match="cannot be saved: "):
        plain_data.dumps(value)


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"[", b"[]", b'["os.system", "x"]', b'["array", 1]', b'["dict", 1]', b'[["list"]]'),
        *(b'["numbers", "dict", 0]', b'["set", ["list"]]', b"[" * 100_000, b'["list"' * 5_000_000),
        b'["list", ["numbers", "list", 0], ["numbers", "list", 0]]',
    ],
    ids=lambda data: data[:30].decode(),
)
def test_damaged_data_create_nothing(data: bytes) -> None:
    with pytest.raises((CheckpointError, ValueError, LookupError, TypeError, RecursionError)):
        plain_data.loads(data, [np.arange(3)])
