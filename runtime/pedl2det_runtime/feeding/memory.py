"""What a data sequence remembers: its attributes that changed since it was built.

A sequence may shuffle its indices in ``on_epoch_end`` or count its batches. A resumed run builds
the sequence anew, so a checkpoint carries what has changed: numbers, texts, arrays and lists of
them, by attribute name.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

_KINDS = "biufU"


class Memory:
    """Tells what a sequence has changed in itself since this object was made.

    Args:
        sequence: the sequence, newly built.
    """

    def __init__(self, sequence: Any) -> None:
        self._attributes: dict[str, Any] = getattr(sequence, "__dict__", {})
        self._before = {name: _digest(array) for name, array in self._arrays().items()}

    def changes(self) -> dict[str, npt.NDArray[Any]]:
        """The attributes that differ from what they were, as arrays."""
        return {
            name: array
            for name, array in self._arrays().items()
            if _digest(array) != self._before.get(name)
        }

    def restore(self, changes: dict[str, npt.NDArray[Any]]) -> None:
        """Give the sequence the attributes that an earlier one had changed."""
        for name, array in changes.items():
            present = self._attributes.get(name)
            if isinstance(present, np.ndarray) and present.shape == array.shape:
                present[...] = array  # the array may be shared
            elif array.ndim == 0:
                self._attributes[name] = array.item()
            else:
                self._attributes[name] = array.tolist() if isinstance(present, list) else array

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        found = {name: _as_array(value) for name, value in self._attributes.items()}
        return {name: array for name, array in found.items() if array is not None}


def _as_array(value: Any) -> npt.NDArray[Any] | None:
    if isinstance(value, np.ndarray):
        # Read-only data cannot have changed: no need to read it through at every checkpoint.
        return value if value.dtype.kind in _KINDS and value.flags.writeable else None
    if isinstance(value, bool | int | float | str) or _is_plain_list(value):
        try:
            array = np.asarray(value)
        except (ValueError, OverflowError):
            return None
        return array if array.dtype.kind in _KINDS else None
    return None


def _is_plain_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, bool | int | float) for item in value)


def _digest(array: npt.NDArray[Any]) -> tuple[Any, ...]:
    return array.dtype.str, array.shape, zlib.crc32(np.ascontiguousarray(array).tobytes())
