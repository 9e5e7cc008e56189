"""The order of batches on one process. Pure functions.

A *pass* reads each batch of this process's shard once. Only the order of batches is shuffled, never
the records within a batch. Follows docs/semantics.md, Order of batches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pedl2det_runtime.errors import CheckFailedError


@dataclass(frozen=True)
class Sampler:
    """The order of batches on one of several processes.

    Raises:
        CheckFailedError: there are no batches, or fewer than processes.
    """

    length: int  #: number of batches in the data set
    shuffle_seed: int | None = None  #: seed of the order, or None for the order of the data set
    rank: int = 0  #: rank of this process
    size: int = 1  #: number of processes; each reads every ``size``-th batch

    def __post_init__(self) -> None:
        if self.length < 1:
            raise CheckFailedError("the data set is empty: it must hold at least one batch")
        if self.length < self.size:
            raise CheckFailedError(
                f"{self.length} batches cannot be shared by {self.size} processes: "
                f"please provide a Sequence that has at least as many batches as slots"
            )

    def passes(self, start: int = 0) -> Iterator[list[int]]:
        """Yield the batch indices of each pass, endlessly.

        Each pass shuffles the order of the previous pass, so pass ``k`` is shuffled ``k`` times.

        Args:
            start: number of batches that this process has already trained. They are skipped; the
                first list is empty if they complete a pass.
        """
        order = np.arange(self.length)
        random = (
            None if self.shuffle_seed is None else np.random.RandomState(self.shuffle_seed % 2**32)
        )
        offset, skip = self.rank, start
        while True:
            if random is not None:
                random.shuffle(order)
            share = order[offset :: self.size]
            if skip > len(share):
                skip -= len(share)
            else:
                yield [int(index) for index in share[skip:]]
                skip = 0
            offset = (offset - self.length) % self.size

    def one_pass(self) -> list[int]:
        """Return the batch indices of this process in the order of the data set."""
        return list(range(self.rank, self.length, self.size))
