"""What a user may ask of one run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RunOptions:
    """What a user may ask of one run.

    Attributes:
        directory: the trial's directory.
        config: the experiment config; None for the one in the directory.
        out: where the results go.
        overrides: ``key.path=value`` for the config.
        resume: go on from the last checkpoint in ``out``.
        max_batches: the most batches to train, or None.
        test: train one batch, validate one, write one checkpoint.
        trace: write the metrics of every single batch to ``batches.jsonl``.
        slots: the processes that train, or None for as many as the config says.
    """

    directory: Path
    out: Path
    config: Path | None = None
    overrides: tuple[str, ...] = ()
    resume: bool = False
    max_batches: int | None = None
    test: bool = False
    trace: bool = False
    slots: int | None = None
