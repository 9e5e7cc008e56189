"""Batches from a Python generator.

The position of a generator cannot be saved. A resumed run draws the same number of batches again,
alternating between training and validation as before, so that the generators consume the same
random numbers.
"""

from __future__ import annotations

from typing import Any

from pedl2det_runtime.backends import random_state
from pedl2det_runtime.errors import CheckpointError, InvalidExperimentException
from pedl2det_runtime.errors.repeated_warnings import logger

_log = logger(__name__)

#: Log of the draws in order: ``[["training", 10], ["validation", 3]]``.
GeneratorDraws = list[list[Any]]


class GeneratorSequence:
    """A sequence of batches from a generator. It returns the next batch for any index.

    On several ranks, each rank draws all batches and skips those of other ranks.

    Args:
        name: "training" or "validation".
        generator: yields batches endlessly.
        steps: number of batches per pass.
        draws: log of the draws, shared by the generators of a run. Checkpoints save it as an
            attribute (:mod:`pedl2det_runtime.data.attribute_changes`).
        ranks: number of processes that share the batches.
    """

    def __init__(
        self, name: str, generator: Any, steps: int, draws: GeneratorDraws, ranks: int = 1
    ) -> None:
        self.name, self.draws = name, draws
        self._steps = steps
        self._ranks = ranks
        self._generator = iter(generator)

    def __len__(self) -> int:
        return self._steps

    def __getitem__(self, index: int) -> Any:
        if not self.draws or self.draws[-1][0] != self.name:
            self.draws.append([self.name, 0])
        if self._ranks > 1:
            for _ in range((index - self.count) % self._steps):
                self._draw()
        return self._draw()

    def skip(self, count: int) -> None:
        """Draw ``count`` batches and discard them."""
        for _ in range(count):
            self._next()

    def is_after(self, batches: int, rank: int) -> bool:
        """Return whether the draw count is that of a rank after training ``batches`` batches."""
        return self.count == (((batches - 1) * self._ranks + rank + 1) if batches else 0)

    @property
    def count(self) -> int:
        """Number of batches drawn."""
        return sum(count for name, count in self.draws if name == self.name)

    def _draw(self) -> Any:
        batch = self._next()
        self.draws[-1][1] += 1
        return batch

    def _next(self) -> Any:
        try:
            return next(self._generator)
        except StopIteration:
            raise InvalidExperimentException(
                f"the {self.name} generator ended after {self.count} batches: it must yield "
                "batches endlessly (while True)"
            ) from None


def replay_draws(
    training: Any, validation: Any, batches: int, random: dict[str, Any], rank: int | None = 0
) -> None:
    """Draw again the batches that the generators had yielded before a checkpoint.

    Args:
        training: the training data; its ``draws`` are restored from the checkpoint.
        validation: the validation data; its ``draws`` are restored from the checkpoint.
        batches: number of batches trained before the checkpoint.
        random: the random states in the checkpoint, which are not restored yet.
        rank: rank of this process; None if the checkpoint has another number of ranks.

    Raises:
        CheckpointError: the number of draws in the checkpoint does not fit ``batches``.
    """
    sequences = {
        data.name: data for data in (training, validation) if isinstance(data, GeneratorSequence)
    }
    if not sequences:
        return
    if (
        isinstance(training, GeneratorSequence)
        and rank is not None
        and not training.is_after(batches, rank)
    ):
        raise CheckpointError(
            f"the checkpoint was written at batch {batches}, but records {training.count} draws "
            "from the training generator: train from the start in another directory"
        )
    before = random_state.host_state()
    for name, count in next(iter(sequences.values())).draws:
        if name in sequences:
            sequences[name].skip(count)
    after = random_state.host_state()
    if any(after[kind] not in (before[kind], random[kind]) for kind in after):
        _log.warning(
            "a callback or the model drew random numbers between the draws of the generators: "
            "the resumed run may get other batches than an uninterrupted one"
        )
