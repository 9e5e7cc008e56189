"""Plain data as JSON and arrays: numbers, strings, arrays, and lists, tuples, sets, dicts of these.

Numbers, strings and None are JSON's own. Anything else is a list that begins with its kind; arrays,
bytes and long lists of numbers are in the arrays, and are named by their place there::

    ["dict", "order", ["numbers", "list", 0], "seen", ["set", 1, 2], "weights", ["array", 1]]
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from pedl2det_runtime.errors import CheckpointError

Arrays = list[npt.NDArray[Any]]
_CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {
    **{kind.__name__: kind for kind in (list, tuple, set, frozenset)},
    "dict": lambda parts: dict(zip(parts[::2], parts[1::2], strict=True)),
}
_NUMBERS = {int: "i", float: "f", bool: "b"}  # kinds of NumPy that hold them exactly
_LONG_LIST, _LONG_INTEGER = 100, 10_000  # values; bits, beyond which JSON has no integers
#: Memory in bytes that JSON may take beyond its size, and what a list and a value of it take.
_BUDGET, _LIST, _VALUE = 2**30, 160, 40


def dumps(value: Any) -> tuple[bytes, Arrays]:
    """Return the JSON of plain data, and its arrays.

    Raises:
        CheckpointError: it contains other objects, or more than :func:`loads` accepts.
    """
    arrays: Arrays = []
    known: dict[int, int] = {}  # an array that occurs twice is one array after a resume, too

    def place(array: npt.NDArray[Any]) -> int:
        if array.dtype.hasobject:
            raise CheckpointError("cannot be saved: an array of objects")
        arrays.append(array)
        return len(arrays) - 1

    def encode(value: Any) -> Any:
        kind = type(value)
        if value is None or kind in (bool, float, str):
            return value
        if kind is int:
            return value if value.bit_length() < _LONG_INTEGER else ["int", hex(value)]
        if kind is np.ndarray:
            if id(value) not in known:
                known[id(value)] = place(value)
            return ["array", known[id(value)]]
        if kind in (list, tuple) and (numbers := _as_numbers(value)) is not None:
            return ["numbers", kind.__name__, place(numbers)]
        if kind in (list, tuple, set, frozenset):
            return [kind.__name__, *map(encode, value)]
        if kind is dict:
            return ["dict", *(encode(part) for item in value.items() for part in item)]
        if kind is complex:
            return ["complex", value.real, value.imag]
        if kind is bytes:
            return ["bytes", place(np.frombuffer(value, np.uint8))]
        if isinstance(value, np.generic):
            return ["scalar", place(np.asarray(value))]
        raise CheckpointError(
            f"cannot be saved: {kind.__module__}.{kind.__qualname__}: it is no plain data "
            "(numbers, strings, arrays, lists, dicts)"
        )

    data = json.dumps(encode(value), separators=(",", ":")).encode()
    _check_memory(data)
    return data, arrays


def loads(data: bytes, arrays: Arrays) -> Any:
    """Return the plain data that :func:`dumps` saved."""
    _check_memory(data)
    unread = dict(enumerate(arrays))  # a list of numbers is read once: it takes more memory

    def decode(node: Any) -> Any:
        if not isinstance(node, list):
            return node
        kind, *parts = node
        if kind in _CONTAINERS:
            return _CONTAINERS[kind]([decode(part) for part in parts])
        match node:
            case ["array", place]:
                return arrays[place]
            case ["numbers", ("list" | "tuple") as container, place]:
                return _CONTAINERS[container](unread.pop(place).tolist())
            case ["bytes", place]:
                return unread.pop(place).tobytes()
            case ["scalar", place]:
                return arrays[place][()]
            case ["complex", real, imaginary]:
                return complex(real, imaginary)
            case ["int", digits]:
                return int(digits, 16)
        raise ValueError(f"unexpected {kind}")

    return decode(json.loads(data))


def _as_numbers(values: list[Any] | tuple[Any, ...]) -> npt.NDArray[Any] | None:
    """Return the array of a long list of numbers of one kind, if it holds them exactly."""
    if len(values) < _LONG_LIST or len(kinds := set(map(type, values))) > 1:
        return None
    expected = _NUMBERS.get(kinds.pop())
    array = np.array(values) if expected else None
    return array if array is not None and array.dtype.kind == expected else None


def _check_memory(data: bytes) -> None:
    lists = data.count(b"[") + data.count(b"{")
    if lists * _LIST + data.count(b",") * _VALUE > _BUDGET + len(data):
        raise CheckpointError(f"plain data that take more than {_BUDGET} bytes of memory")
