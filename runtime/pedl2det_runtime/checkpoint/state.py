"""Training state in a checkpoint, other than the model and the state of the ranks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from pedl2det_runtime.checkpoint import ownership
from pedl2det_runtime.checkpoint.untrusted_files import JSON_BYTES, read_bytes, read_json, reading


@dataclass(frozen=True)
class Progress:
    """Training progress of a trial, stored in checkpoints."""

    batches: int = 0  #: batches trained
    last_validation: int = -1  #: batches at the last validation, -1 before the first
    last_checkpoint: int = -1  #: batches at the last checkpoint, -1 before the first


@dataclass(frozen=True)
class State:
    """Training state other than the model."""

    progress: Progress  #: the number of batches trained
    records: int  #: lines of ``metrics.jsonl`` at this batch
    best: float | None  #: the best value of the searcher's metric so far
    seed: int  #: the trial's seed
    slots: int  #: the number of processes
    stopped: bool = False  #: whether a callback ended the training
    #: the batch at which the present workload began, if the checkpoint is within it
    workload: int | None = None
    wants_to_stop: bool = False  #: whether a callback wants the training to end after this workload


def read_state(checkpoint: Path) -> State:
    """Return the training state in a checkpoint."""
    path = checkpoint / "state.json"
    data = read_bytes(path, JSON_BYTES)
    with reading(path):
        return TypeAdapter(State).validate_json(data)


def written_with(checkpoint: Path) -> dict[str, Any]:
    """Return the metadata of a checkpoint: versions, and what ``build_model`` compiled."""
    metadata: dict[str, Any] = read_json(checkpoint / ownership.METADATA)
    return metadata
