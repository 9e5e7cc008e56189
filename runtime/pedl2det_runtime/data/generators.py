"""Batches that a Python generator gives: a stream, which can only be read on.

A generator's place cannot be saved. A resumed run draws again what had been drawn, in the order in
which training and validation had drawn it, so that they find the random numbers that they had.
"""

from __future__ import annotations

import logging
from typing import Any

from pedl2det_runtime.backends import random_state
from pedl2det_runtime.errors import CheckpointError, InvalidExperimentException

_log = logging.getLogger(__name__)

#: How many batches were drawn by whom, in order: ``[["training", 10], ["validation", 3]]``.
Draws = list[list[Any]]


class Drawn:
    """A sequence of batches that gives the next one, whichever is asked for.

    Of several ranks each draws them all, and skips those of the others.

    Args:
        name: what it is for, "training" or "validation".
        generator: gives batches without end.
        steps: batches in what counts as a pass.
        draws: what has been drawn; shared by the generators of a run, and carried by checkpoints
            as an attribute of plain data is (:mod:`pedl2det_runtime.data.attribute_changes`).
        ranks: how many processes share the batches.
    """

    def __init__(self, name: str, generator: Any, steps: int, draws: Draws, ranks: int = 1) -> None:
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
        """Draw what had been drawn before."""
        for _ in range(count):
            self._next()

    def is_after(self, batches: int, rank: int) -> bool:
        """Whether as much has been drawn as a rank has when it has trained so many batches."""
        return self.count == (((batches - 1) * self._ranks + rank + 1) if batches else 0)

    @property
    def count(self) -> int:
        """How many batches have been drawn."""
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
                f"the {self.name} generator ended after {self.count} batches: it must give batches "
                "without end (while True)"
            ) from None


def catch_up(
    training: Any, validation: Any, batches: int, random: dict[str, Any], rank: int | None = 0
) -> None:
    """Have generators draw again what they had given up to a checkpoint.

    Args:
        training: the training data, whose :attr:`Drawn.draws` is as in the checkpoint.
        validation: the validation data, likewise.
        batches: how many batches had been trained.
        random: the random states of the checkpoint, which are not restored yet.
        rank: which of the ranks this is; None if there were more or fewer at the checkpoint.

    Raises:
        CheckpointError: the checkpoint does not know how much had been drawn.
    """
    streams = {data.name: data for data in (training, validation) if isinstance(data, Drawn)}
    if not streams:
        return
    if isinstance(training, Drawn) and rank is not None and not training.is_after(batches, rank):
        raise CheckpointError(
            f"the checkpoint is of batch {batches} and says that {training.count} had been drawn "
            "from the training generator: start anew in another directory"
        )
    before = random_state.host_state()
    for name, count in next(iter(streams.values())).draws:
        if name in streams:
            streams[name].skip(count)
    after = random_state.host_state()
    if any(after[kind] not in (before[kind], random[kind]) for kind in after):
        _log.warning(
            "the generators draw random numbers between which something else drew, a callback or "
            "the model: a resumed run may get other batches than the undisturbed one"
        )
