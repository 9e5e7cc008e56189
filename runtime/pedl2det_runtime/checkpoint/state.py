"""Training state in a checkpoint, other than the model and the state of the ranks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from pedl2det_runtime.checkpoint import ownership
from pedl2det_runtime.checkpoint.progress import Progress
from pedl2det_runtime.checkpoint.untrusted_files import JSON_BYTES, read_bytes, read_json, reading


@dataclass(frozen=True)
class State:
    """Training state other than the model.

    Attributes:
        progress: the number of batches trained.
        records: lines of ``metrics.jsonl`` at this batch.
        best: the best value of the searcher's metric so far.
        seed: the trial's seed.
        slots: the number of processes.
        stopped: whether a callback ended the training.
        workload: the batch at which the present workload began, if the checkpoint is within it.
        wants_to_stop: whether a callback wants the training to end after this workload.
    """

    progress: Progress
    records: int
    best: float | None
    seed: int
    slots: int
    stopped: bool = False
    workload: int | None = None
    wants_to_stop: bool = False


def read_state(checkpoint: Path) -> State:
    """Return the training state in a checkpoint.

    Raises:
        DamagedCheckpointError: a file is damaged.
    """
    path = checkpoint / "state.json"
    data = read_bytes(path, JSON_BYTES)
    with reading(path):
        return TypeAdapter(State).validate_json(data)


def written_with(checkpoint: Path) -> dict[str, Any]:
    """Return the metadata of a checkpoint: versions, and what ``build_model`` compiled.

    Raises:
        DamagedCheckpointError: they are damaged.
    """
    metadata: dict[str, Any] = read_json(checkpoint / ownership.METADATA)
    return metadata
