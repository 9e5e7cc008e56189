"""Pass batches from worker processes to the training through shared memory.

A pipe carries the pickle of a batch without the content of its arrays (pickle protocol 5), which is
written into memory that both processes share. The arrays that the training reads lie there, so they
are copied once. Small batches, and all where the system has no ``memfd_create``, use the pipe.
"""

from __future__ import annotations

import mmap
import os
import pickle
import weakref
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

#: Batches below this size in bytes go through the pipe.
_SMALL = 2**16
#: Arrays begin at multiples of this, as TensorFlow wants them.
_ALIGNED = 64


@dataclass(frozen=True)
class Packed:
    """A batch on its way."""

    pickled: bytes  #: its pickle without the content of arrays
    sizes: tuple[int, ...] = ()  #: bytes of each content that lies in the shared memory
    contents: tuple[bytearray, ...] = ()  #: the contents if they are not there


class Slot:
    """Shared memory for one batch. It must be created before the worker processes are forked."""

    def __init__(self) -> None:
        self._file = os.memfd_create("batch")
        self._memory: mmap.mmap | None = None
        weakref.finalize(self, os.close, self._file)

    def write(self, sizes: tuple[int, ...], contents: list[memoryview]) -> None:
        """Write the contents of a batch; in a worker process."""
        places = _places(sizes)
        if os.fstat(self._file).st_size < places[-1]:
            os.ftruncate(self._file, places[-1])
        memory = self._mapped(places[-1])
        for place, size, content in zip(places, sizes, contents, strict=False):
            memory[place : place + size] = content

    def read(self, sizes: tuple[int, ...]) -> np.ndarray[Any, Any]:
        """Return the memory of the contents, of shape (bytes,); in the training process."""
        return np.frombuffer(self._mapped(_places(sizes)[-1]), np.uint8)

    def _mapped(self, size: int) -> mmap.mmap:
        if self._memory is None or len(self._memory) < size:
            self._memory = mmap.mmap(self._file, os.fstat(self._file).st_size)
        return self._memory


class Slots:
    """The shared memory of one group of worker processes.

    Args:
        count: the number of batches that may be there at the same time.
    """

    def __init__(self, count: int) -> None:
        has_memory = hasattr(os, "memfd_create")
        self.all = [Slot() for _ in range(count if has_memory else 0)]
        self._free = list(range(len(self.all)))

    def reserve(self) -> int | None:
        """Reserve a slot for a batch; None if there is none."""
        return self._free.pop() if self._free else None

    def release(self, number: int | None) -> None:
        """Make a slot available for another batch."""
        if number is not None:
            self._free.append(number)

    def unpacked(self, packed: Packed, number: int | None) -> Any:
        """Return a batch; its slot is released with the last array that lies in it."""
        if number is None or not packed.sizes:
            self.release(number)
            return pickle.loads(packed.pickled, buffers=packed.contents)  # noqa: S301 - of our own process
        memory = self.all[number].read(packed.sizes)
        weakref.finalize(memory, self.release, number).atexit = False
        places = zip(_places(packed.sizes), packed.sizes, strict=False)
        parts = [memory[place : place + size] for place, size in places]
        return pickle.loads(packed.pickled, buffers=parts)  # noqa: S301


def packed(batch: Any, slot: Slot | None) -> Packed:
    """Pack a batch in a worker process, its contents into a slot if there is one."""
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(batch, protocol=5, buffer_callback=buffers.append)
    contents = [buffer.raw() for buffer in buffers]
    sizes = tuple(content.nbytes for content in contents)
    if slot is None or sum(sizes) < _SMALL:
        return Packed(pickled, contents=tuple(map(bytearray, contents)))
    slot.write(sizes, contents)
    return Packed(pickled, sizes)


def _places(sizes: tuple[int, ...]) -> list[int]:
    """Return where each content begins, and where the last one ends."""
    return [0, *accumulate(-(-size // _ALIGNED) * _ALIGNED for size in sizes)]
