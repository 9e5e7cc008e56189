"""Save and restore the attributes of an object that changed since its construction.

A Sequence may shuffle its indices in ``on_epoch_end`` or use its own random generator; a Keras
callback counts epochs. A resumed run constructs these objects again, so a checkpoint stores their
changed attributes by name. Stored are plain data (numbers, strings, arrays, and lists, tuples, sets
and dicts of these) and random generators, also those of a sequence that is an attribute itself.

A checkpoint must not cost the time to read all data: of the arrays of one object, 8 MB are read.
Small arrays are read whole, as an order of indices is; the large ones share what is left, in evenly
spaced blocks of 1 kB each. Of a single array, a changed range of contiguous bytes is noticed if it
is longer than 1/8192 of it.
"""

from __future__ import annotations

import random
import sys
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

#: Bytes of arrays that are read to see whether they have changed, and bytes read together.
_READ, _BLOCK = 8 * 2**20, 1024
_ABSENT = object()
_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)
_ARRAY_KINDS = "biufcSUmM"
_GENERATOR = "state of a random generator"


class AttributeChanges:
    """Track the attributes of an object that change after this tracker was created.

    Args:
        owner: the object, in its initial state.
        outer: the objects that it is an attribute of.
    """

    def __init__(self, owner: Any, outer: tuple[Any, ...] = ()) -> None:
        self._attributes: dict[str, Any] = getattr(owner, "__dict__", {})
        self._sequences = {
            name: AttributeChanges(value, (*outer, owner))
            for name, value in self._attributes.items()
            if _is_sequence(value) and all(value is not other for other in (*outer, owner))
        }
        plain = self._plain()
        self._share = _share([*plain.values()])
        self._before = {name: _digest(value, self._share) for name, value in plain.items()}

    def changes(self) -> dict[str, Any]:
        """Return the changed attributes by name, as plain data; ``a.b`` is one of a sequence."""
        found = {
            name: value
            for name, value in self._plain().items()
            if _digest(value, self._share) != self._before.get(name)
        }
        for name, sequence in self._sequences.items():
            found |= {f"{name}.{inner}": value for inner, value in sequence.changes().items()}
        return found

    def restore(self, changes: dict[str, Any]) -> None:
        """Set the attributes of the object to saved values.

        Arrays, lists and dicts are modified in place, because other objects may share them.
        """
        for name, value in changes.items():
            present = self._attributes.get(name, _ABSENT)
            sequence, _, inner = name.partition(".")
            is_pair = type(value) is tuple and len(value) == 2 and isinstance(value[0], str)
            if inner and sequence in self._sequences:
                self._sequences[sequence].restore({inner: value})
            elif is_pair and value[0] == _GENERATOR:
                _restore_generator(present, value[1])
            else:
                self._attributes[name] = _in_place(present, value)

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


def _in_place(present: Any, value: Any) -> Any:
    """Return a saved value, in the array, list or dict that is there if it can hold it."""
    if isinstance(present, np.ndarray) and isinstance(value, np.ndarray):
        is_alike = (value.shape, value.dtype) == (present.shape, present.dtype)
        if is_alike and present.flags.writeable:
            present[...] = value
            return present
    elif isinstance(present, tuple) and isinstance(value, tuple) and len(present) == len(value):
        return tuple(map(_in_place, present, value))
    elif isinstance(present, list) and isinstance(value, list):
        present[:] = map(_in_place, present, value) if len(present) == len(value) else value
        return present
    elif isinstance(present, dict) and isinstance(value, dict):
        kept = {key: _in_place(present.get(key), child) for key, child in value.items()}
        present.clear()
        present.update(kept)
        return present
    return value


def _is_sequence(value: Any) -> bool:
    """Whether an object is a ``Sequence`` of Keras, or like one, and no table of a library."""
    if not all(hasattr(value, name) for name in ("__dict__", "__getitem__", "__len__")):
        return False
    home = getattr(sys.modules.get(type(value).__module__), "__file__", None) or ""
    return hasattr(value, "on_epoch_end") or "-packages" not in home


def _is_plain(value: Any) -> bool:
    if type(value) in (list, tuple, set, frozenset):
        return all(map(_is_plain, value))
    if type(value) is dict:
        return all(_is_plain(key) and _is_plain(child) for key, child in value.items())
    if type(value) is np.ndarray:
        # Read-only arrays cannot change, so they need no digest at every checkpoint.
        return value.dtype.kind in _ARRAY_KINDS and value.flags.writeable
    return isinstance(value, _PLAIN)


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


def _share(values: list[Any]) -> int:
    """Return how many bytes to read of each array: all of a small one, equally many of others."""
    sizes = sorted(_sizes(values))
    left = _READ
    for number, size in enumerate(sizes):
        others = len(sizes) - number
        if size * others > left:
            return max(_BLOCK, left // others)
        left -= size
    return _READ


def _sizes(value: Any) -> Iterator[int]:
    """Yield the size of each array in plain data, in bytes."""
    if isinstance(value, np.ndarray):
        yield value.nbytes
    elif isinstance(value, dict | list | tuple):
        for child in value.values() if isinstance(value, dict) else value:
            yield from _sizes(child)


def _digest(value: Any, share: int) -> int:
    """Return a checksum of plain data that depends on values only, not on object identity."""
    return zlib.crc32(_serialized(value, share))


def _serialized(value: Any, share: int) -> bytes:
    """Serialize plain data, up to ``share`` bytes of an array; equal values give equal bytes."""
    if isinstance(value, np.ndarray):
        head = f"{value.dtype.str}{value.shape}".encode()
        return head + _checksum(value, share).to_bytes(4)
    if isinstance(value, list | tuple):
        inner = b",".join(_serialized(child, share) for child in value)
        return type(value).__name__.encode() + b"(" + inner + b")"
    if isinstance(value, set | frozenset):
        return b"set(" + b",".join(sorted(_serialized(child, share) for child in value)) + b")"
    if isinstance(value, dict):
        items = (
            _serialized(key, share) + b":" + _serialized(child, share)
            for key, child in value.items()
        )
        return b"{" + b",".join(items) + b"}"
    return f"{type(value).__name__} {value!r}".encode(errors="surrogatepass")


def _checksum(array: np.ndarray[Any, Any], share: int) -> int:
    """Return a checksum of an array's bytes; of a larger one of every so many-th block."""
    content = array.ravel(order="K").view(np.uint8)
    if len(content) <= share:
        return zlib.crc32(content.data)
    whole = len(content) // _BLOCK * _BLOCK
    blocks = content[:whole].reshape(-1, _BLOCK)[:: -(-len(content) // share)]
    return zlib.crc32(content[whole:].data, zlib.crc32(np.ascontiguousarray(blocks).data))
