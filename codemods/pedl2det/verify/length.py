"""How many batches a verification trains."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

#: Batches that are trained by default.
USUAL = 300
#: A first validation up to this batch is waited for, so that training goes on after one.
LATEST_VALIDATION = 1000
_AFTER_VALIDATION = 100


@dataclass(frozen=True)
class TrainingLength:
    """How many batches are trained.

    Attributes:
        batches: what is trained; None for all, where the config cannot be read.
        total: what the config asks for.
    """

    batches: int | None
    total: int | None

    def __str__(self) -> str:
        if self.total is None or self.batches is None:
            return "all batches" if self.batches is None else f"{self.batches} batches"
        if self.batches >= self.total:
            return f"all {self.total} batches"
        return f"{self.batches} of {self.total} batches; --batches {self.total} trains all"


def training_length(config: Path, asked: int | None) -> TrainingLength:
    """Choose how many batches to train.

    By default these are the batches of the config, but no more than 300. If the first validation
    comes later than that, training goes on until 100 batches after it (a run also validates at
    its end, so that there are two), unless it comes later than batch 1000.

    Args:
        config: the experiment config of the old trial.
        asked: what the user asks for, if anything.
    """
    from pedl2det_runtime.config.hparams import sample_hparams
    from pedl2det_runtime.config.reader import read_config
    from pedl2det_runtime.errors import Pedl2DetError

    try:
        read = read_config(config, ())
        hparams = sample_hparams(read)
        size = hparams.get("global_batch_size", hparams.get("batch_size"))
        size = size if isinstance(size, int) and size > 0 else 1
        total = read.training_batches(size)
        first = read.batches(read.min_validation_period, size)
    except (Pedl2DetError, ValueError, OSError):
        return TrainingLength(asked, None)  # the run reports what is wrong with the config
    return TrainingLength(min(asked or usual_length(first), total), total)


def usual_length(first_validation: int) -> int:
    """Return how many batches to train at most.

    Args:
        first_validation: the batch of the first validation; 0 if there is one only at the end.
    """
    if USUAL <= first_validation <= LATEST_VALIDATION:
        return first_validation + _AFTER_VALIDATION
    return USUAL
