"""Training state in a checkpoint, other than the model: of the run, and of each rank.

The directory ``rank-N`` has the random states of the host and of layers, the states of data
sequences and callbacks, and the gradients accumulated since the last optimizer step, as JSON and
arrays. Only the states of callbacks are a pickle: they may be objects of the trial's classes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from pedl2det_runtime.backends import random_state
from pedl2det_runtime.checkpoint import ownership, plain_data, resource_limits
from pedl2det_runtime.checkpoint.plain_data import Arrays
from pedl2det_runtime.checkpoint.untrusted_files import JSON_BYTES, read_bytes, read_json, reading

_OPTIONAL = ("metrics", "operations")
_LOADERS = {"training": dict, "validation": dict}


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


def read_metadata(checkpoint: Path) -> dict[str, Any]:
    """Return the metadata of a checkpoint: versions, and what ``build_model`` compiled."""
    return read_json(checkpoint / ownership.METADATA)


@dataclass(frozen=True)
class RankState:
    """The state of one rank; the model is common to all ranks."""

    #: the host's random states (:mod:`pedl2det_runtime.backends.random_state`); empty for a
    #: converted checkpoint that had none. ``layers`` is empty then, too.
    random: dict[str, Any]
    callbacks: bytes  #: the pickled states of the callbacks
    #: changed attributes of the data sequences, by role (training, validation)
    loaders: dict[str, dict[str, Any]]
    layers: Arrays  #: states of random and recurrent layers, and of TensorFlow's generator
    #: sums of gradients since the last step (``optimizations.aggregation_frequency``)
    gradients: Arrays
    directory: Path = Path()  #: the directory from which it was read
    #: sums of the metrics since the last report; empty at a report
    metrics: Arrays = field(default_factory=list)
    operations: Arrays = field(default_factory=list)  #: states of random operations of graph mode
    #: sums and weights of metrics since the epoch began, for callbacks of old trials
    epoch: dict[str, tuple[float, float]] = field(default_factory=dict)

    def write(self, checkpoint: Path, rank: int) -> None:
        """Write the files of this rank."""
        directory = checkpoint / f"rank-{rank}"
        directory.mkdir()
        (directory / "random.json").write_text(json.dumps(self.random) + "\n", encoding="utf-8")
        (directory / "callbacks.pkl").write_bytes(self.callbacks)
        data, arrays = plain_data.dumps(self.loaders)
        (directory / "loaders.json").write_bytes(data + b"\n")
        np.savez(directory / "loaders.npz", *arrays)
        np.savez(directory / "layers.npz", *self.layers)
        np.savez(directory / "gradients.npz", *self.gradients)
        if self.epoch:
            (directory / "epoch.json").write_text(json.dumps(self.epoch) + "\n", encoding="utf-8")
        for name in _OPTIONAL:
            if arrays := getattr(self, name):
                np.savez(directory / f"{name}.npz", *arrays)

    @classmethod
    def read(cls, checkpoint: Path, rank: int) -> RankState:
        """Read the state of a rank; that of the chief if the checkpoint has fewer ranks."""
        directory = checkpoint / f"rank-{rank}"
        if not directory.is_dir():
            directory = checkpoint / "rank-0"
        random = read_json(directory / "random.json")
        with reading(directory / "random.json"):
            if random:
                random_state.check_host_state(random)
        optional = {
            name: _arrays(directory / f"{name}.npz")
            for name in _OPTIONAL
            if (directory / f"{name}.npz").exists()
        }
        return cls(
            random=random,
            callbacks=read_bytes(directory / "callbacks.pkl"),
            loaders=_loaders(directory),
            layers=_arrays(directory / "layers.npz"),
            gradients=_arrays(directory / "gradients.npz"),
            directory=directory,
            epoch=_epoch(directory / "epoch.json"),
            **optional,
        )


def _epoch(path: Path) -> dict[str, tuple[float, float]]:
    if not path.exists():
        return {}
    sums = read_json(path)
    with reading(path):
        return {str(name): (float(total), float(weight)) for name, (total, weight) in sums.items()}


def _loaders(directory: Path) -> dict[str, dict[str, Any]]:
    path = directory / "loaders.json"
    data, arrays = read_bytes(path), _arrays(path.with_suffix(".npz"))
    with reading(path):
        loaders: dict[str, dict[str, Any]] = plain_data.loads(data, arrays)
        if {name: type(changes) for name, changes in loaders.items()} != _LOADERS:
            raise ValueError("expected one dict each for training and validation")
        return loaders


def _arrays(path: Path) -> Arrays:
    resource_limits.check_npz(path)
    with reading(path), np.load(path, allow_pickle=False) as file:
        return [file[name] for name in file.files]
