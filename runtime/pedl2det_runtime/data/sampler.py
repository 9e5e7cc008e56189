"""Which batch of a data set comes next: pure arithmetic.

A *pass* is one way through this process's share of the batches. What is shuffled is the order
of the batches, never the samples within one. Rules: spec/context_api.md, 4.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pedl2det_runtime.errors import CheckFailedError


@dataclass(frozen=True)
class Sampler:
    """The order of batches on one of several processes.

    Attributes:
        length: batches in the whole data set.
        shuffle_seed: seed of the order, or None to keep the order of the data set.
        rank: which process this is.
        size: how many processes share the data set; each takes every ``size``-th batch.
    """

    length: int
    shuffle_seed: int | None = None
    rank: int = 0
    size: int = 1

    def __post_init__(self) -> None:
        if self.length < 1:
            raise CheckFailedError("the data set is empty: it must hold at least one batch")
        if self.length < self.size:
            raise CheckFailedError(
                f"{self.length} batches cannot be shared by {self.size} processes: "
                f"please provide a Sequence that has at least as many batches as slots"
            )

    def passes(self, start: int = 0) -> Iterator[list[int]]:
        """The batches of each pass, from the ``start``-th batch that this process trains.

        Endless. The first pass is shortened by what ``start`` skips, to nothing where
        ``start`` ends a pass. Shuffling goes on from the order of the pass before, so that
        pass ``k`` has been shuffled ``k`` times.
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
        """This process's share in the order of the data set, as a validation reads it."""
        return list(range(self.rank, self.length, self.size))
