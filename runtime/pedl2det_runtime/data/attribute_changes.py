"""Save and restore the attributes of an object that changed since its construction.

A Sequence may shuffle its indices in ``on_epoch_end`` or use its own random generator; a Keras
callback counts epochs. A resumed run constructs these objects again, so a checkpoint stores their
changed attributes by name. Stored are plain data (numbers, strings, arrays, and lists, tuples, sets
and dicts of these) and random generators.
"""

from __future__ import annotations

import random
import zlib
from typing import Any

import numpy as np

_ABSENT = object()
_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)
_ARRAY_KINDS = "biufcSUmM"
_GENERATOR = "state of a random generator"


class AttributeChanges:
    """Track the attributes of an object that change after this tracker was created.

    Args:
        owner: the object, in its initial state.
    """

    def __init__(self, owner: Any) -> None:
        self._attributes: dict[str, Any] = getattr(owner, "__dict__", {})
        self._before = {name: _digest(value) for name, value in self._plain().items()}

    def changes(self) -> dict[str, Any]:
        """Return the changed attributes by name, as plain data."""
        return {
            name: value
            for name, value in self._plain().items()
            if _digest(value) != self._before.get(name)
        }

    def restore(self, changes: dict[str, Any]) -> None:
        """Set the attributes of the object to saved values.

        Arrays, lists and dicts are modified in place, because other objects may share them.

        Args:
            changes: what :meth:`changes` returned.
        """
        for name, value in changes.items():
            present = self._attributes.get(name, _ABSENT)
            if isinstance(value, tuple) and len(value) == 2 and value[0] == _GENERATOR:
                _restore_generator(present, value[1])
            elif isinstance(present, np.ndarray) and _is_like(present, value):
                present[...] = value
            elif isinstance(present, list) and isinstance(value, list):
                present[:] = value
            elif isinstance(present, dict) and isinstance(value, dict):
                present.clear()
                present.update(value)
            else:
                self._attributes[name] = value

    def _plain(self) -> dict[str, Any]:
        """Return the attributes that can be saved, by name."""
        plain = {}
        for name, value in self._attributes.items():
            state = _generator_state(value)
            if state is not None:
                plain[name] = (_GENERATOR, state)
            elif _is_plain(value):
                plain[name] = value
        return plain


def _is_plain(value: Any) -> bool:
    if type(value) in (list, tuple, set, frozenset):
        return all(map(_is_plain, value))
    if type(value) is dict:
        return all(_is_plain(key) and _is_plain(child) for key, child in value.items())
    if type(value) is np.ndarray:
        # Read-only arrays cannot change, so they need no digest at every checkpoint.
        return value.dtype.kind in _ARRAY_KINDS and value.flags.writeable
    return isinstance(value, _PLAIN)


def _is_like(array: np.ndarray[Any, Any], value: Any) -> bool:
    return (
        isinstance(value, np.ndarray)
        and (value.shape, value.dtype) == (array.shape, array.dtype)
        and array.flags.writeable
    )


def _generator_state(value: Any) -> Any:
    """Return the state of a random generator as plain data; None for other objects."""
    if isinstance(value, np.random.Generator):
        return value.bit_generator.state
    if isinstance(value, np.random.RandomState):
        return value.get_state(legacy=False)
    return value.getstate() if isinstance(value, random.Random) else None


def _restore_generator(generator: Any, state: Any) -> None:
    if isinstance(generator, np.random.Generator):
        generator.bit_generator.state = state
    elif isinstance(generator, np.random.RandomState):
        generator.set_state(state)
    elif isinstance(generator, random.Random):
        generator.setstate(state)


def _digest(value: Any) -> int:
    """Return a checksum of plain data that depends on values only, not on object identity."""
    return zlib.crc32(_serialized(value))


def _serialized(value: Any) -> bytes:
    """Serialize plain data; equal values give equal bytes."""
    if isinstance(value, np.ndarray):
        head = f"{value.dtype.str}{value.shape}".encode()
        return head + np.ascontiguousarray(value).tobytes()
    if isinstance(value, list | tuple):
        inner = b",".join(map(_serialized, value))
        return type(value).__name__.encode() + b"(" + inner + b")"
    if isinstance(value, set | frozenset):
        return b"set(" + b",".join(sorted(map(_serialized, value))) + b")"
    if isinstance(value, dict):
        items = (_serialized(key) + b":" + _serialized(child) for key, child in value.items())
        return b"{" + b",".join(items) + b"}"
    return f"{type(value).__name__} {value!r}".encode(errors="surrogatepass")
