"""What an object remembers: its attributes that changed since it was built.

A sequence may shuffle its indices in ``on_epoch_end`` or draw from a generator of its own, a Keras
callback counts. A resumed run builds them anew, so a checkpoint carries what has changed, by
attribute name: numbers, texts, arrays, lists of numbers or texts, and random generators.
"""

from __future__ import annotations

import json
import random
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

_KINDS = "biufU"


class Memory:
    """Tells what an object has changed in itself since this one was made.

    Args:
        owner: the object, newly built.
    """

    def __init__(self, owner: Any) -> None:
        self._attributes: dict[str, Any] = getattr(owner, "__dict__", {})
        self._before = {name: _digest(array) for name, array in self._arrays().items()}

    def changes(self) -> dict[str, npt.NDArray[Any]]:
        """The attributes that differ from what they were, as arrays."""
        return {
            name: array
            for name, array in self._arrays().items()
            if _digest(array) != self._before.get(name)
        }

    def restore(self, changes: dict[str, npt.NDArray[Any]]) -> None:
        """Give the object the attributes that an earlier one had changed."""
        for name, array in changes.items():
            present = self._attributes.get(name)
            if _generator_state(present) is not None:
                _restore_generator(present, json.loads(array.item()))
            elif isinstance(present, np.ndarray) and present.shape == array.shape:
                present[...] = array  # the array may be shared
            elif array.ndim == 0:
                self._attributes[name] = array.item()
            else:
                self._attributes[name] = array.tolist() if isinstance(present, list) else array

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        found = {name: _as_array(value) for name, value in self._attributes.items()}
        return {name: array for name, array in found.items() if array is not None}


def _generator_state(value: Any) -> str | None:
    """The state of a random generator as JSON, if this is one."""
    if isinstance(value, np.random.Generator):
        state: Any = value.bit_generator.state
    elif isinstance(value, np.random.RandomState):
        state = value.get_state(legacy=False)
    elif isinstance(value, random.Random):
        state = value.getstate()
    else:
        return None
    return json.dumps(state, default=lambda array: array.tolist())


def _restore_generator(generator: Any, state: Any) -> None:
    if isinstance(generator, np.random.Generator):
        generator.bit_generator.state = state
    elif isinstance(generator, np.random.RandomState):
        state["state"]["key"] = np.asarray(state["state"]["key"], dtype=np.uint32)
        generator.set_state(state)
    else:
        version, words, gauss = state
        generator.setstate((version, tuple(words), gauss))


def _as_array(value: Any) -> npt.NDArray[Any] | None:
    if isinstance(value, np.ndarray):
        # Read-only data cannot have changed: no need to read it through at every checkpoint.
        return value if value.dtype.kind in _KINDS and value.flags.writeable else None
    state = _generator_state(value)
    if state is not None:
        return np.asarray(state)
    if isinstance(value, bool | int | float | str) or _is_plain_list(value):
        try:
            array = np.asarray(value)
        except (ValueError, OverflowError):
            return None
        return array if array.dtype.kind in _KINDS else None
    return None


def _is_plain_list(value: Any) -> bool:
    return isinstance(value, list) and (
        all(isinstance(item, bool | int | float) for item in value)
        or all(isinstance(item, str) for item in value)
    )


def _digest(array: npt.NDArray[Any]) -> tuple[Any, ...]:
    return array.dtype.str, array.shape, zlib.crc32(np.ascontiguousarray(array).tobytes())
