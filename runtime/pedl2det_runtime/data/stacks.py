"""Several batches of a sequence at once, stacked: arrays of shape (batches, records, ...).

TensorFlow then calls Python once for all of them. A stack ends before the batch at which the trial
or a callback may act, and has at most 8 MB, so that the first batch is there soon.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from pedl2det_runtime.data.loaders import ArraySequence
from pedl2det_runtime.data.tensors import described, matches, shapes, stacked, standardized
from pedl2det_runtime.data.workers import BatchFeed, Reader
from pedl2det_runtime.errors import InvalidExperimentException
from pedl2det_runtime.errors.trial_code import location_of

#: The size of a stack in bytes, unless one batch is larger.
LARGEST = 8 * 2**20


class ArrayStacks(Reader):
    """Stacks of the batches of arrays, which have no random states and need no workers.

    Args:
        sequence: the arrays.
        passes: the batch indices of each pass.
    """

    def __init__(self, sequence: ArraySequence, passes: Iterator[list[int]]) -> None:
        self._sequence = sequence
        self._passes = passes
        self._coming: list[int] = []
        self._most = max(1, LARGEST // max(1, sequence.bytes_in_batch))

    def take(self, most: int) -> Any:
        """Return the next stack, of at most ``most`` batches.

        Raises:
            StopIteration: all passes have ended.
        """
        while not self._coming:  # a resumed pass may be at its end
            self._coming = list(next(self._passes))
        count = self._whole(self._coming[: min(most, self._most)])
        indices, self._coming = self._coming[:count], self._coming[count:]
        return standardized(self._sequence.stack(indices))

    def _whole(self, indices: list[int]) -> int:
        """Return how many may be stacked: a smaller batch stands alone."""
        whole = self._sequence.whole_batches
        places = (place for place, index in enumerate(indices) if index >= whole)
        return max(1, next(places, len(indices)))


class SequenceStacks(BatchFeed):
    """Stacks of the batches of a sequence, as far as its workers have loaded them."""

    _loaded: Sequence[Any] = ()
    _first = ""
    _count = 0

    def take(self, most: int) -> Any:
        """Return the next stack, of at most ``most`` batches.

        Raises:
            StopIteration: all passes have ended.
            InvalidExperimentException: a batch does not match the first one.
        """
        if not self._loaded:
            self._loaded = [self._checked(batch) for batch in super().take(most)]
        first = shapes(self._loaded[0])
        batches = [*itertools.takewhile(lambda batch: shapes(batch) == first, self._loaded)]
        self._loaded = self._loaded[len(batches) :]
        return stacked(batches)

    def _checked(self, batch: Any) -> Any:
        standard = standardized(batch)
        self._count += 1
        if self.spec is None:
            self._first = described(standard)
        elif not matches(self.spec, standard):
            self.error = self._mismatch(standard)
            raise self.error
        return standard

    def _mismatch(self, batch: Any) -> Exception:
        kind = type(self._sequence)
        location = location_of(kind.__getitem__)
        return InvalidExperimentException(
            f"{location + ': ' if location else ''}{kind.__name__}: batch {self._count} of this "
            f"run is {described(batch)}, the first one was {self._first}"
        )
