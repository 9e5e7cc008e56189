"""What each of the processes that train a trial has for itself, in a checkpoint.

A directory ``rank-N`` in the checkpoint for each: random states of the host and of the layers, what
its data sequences and callbacks remember, gradients that wait for their step.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pedl2det_runtime.backends import random_state
from pedl2det_runtime.checkpoint import bounds, safe_pickle
from pedl2det_runtime.checkpoint.reading import read_bytes, read_json, reading

Arrays = list[npt.NDArray[Any]]
_LOADERS = {"training": dict, "validation": dict}


@dataclass(frozen=True)
class RankState:
    """What one process remembers beside the model, which is everybody's.

    Attributes:
        random: the host's random states (:mod:`pedl2det_runtime.backends.random_state`).
        callbacks: the pickled states of the callbacks.
        loaders: what the data sequences changed in themselves, by their role.
        layers: states of random and recurrent layers, and TensorFlow's own generator.
        gradients: sums of gradients between two steps (``optimizations.aggregation_frequency``).
        directory: where it was read.
        metrics: sums of the metrics since the last report; empty at a report.
    """

    random: dict[str, Any]
    callbacks: bytes
    loaders: dict[str, dict[str, Any]]
    layers: Arrays
    gradients: Arrays
    directory: Path = Path()
    metrics: Arrays = field(default_factory=list)

    def write(self, checkpoint: Path, rank: int) -> None:
        """Write the files of this rank."""
        directory = checkpoint / f"rank-{rank}"
        directory.mkdir()
        (directory / "random.json").write_text(json.dumps(self.random) + "\n", encoding="utf-8")
        (directory / "callbacks.pkl").write_bytes(self.callbacks)
        (directory / "loaders.pkl").write_bytes(safe_pickle.dumps(self.loaders))
        np.savez(directory / "layers.npz", *self.layers)
        np.savez(directory / "gradients.npz", *self.gradients)
        if self.metrics:
            np.savez(directory / "metrics.npz", *self.metrics)

    @classmethod
    def read(cls, checkpoint: Path, rank: int) -> RankState:
        """The state of a rank; of the chief if the checkpoint has fewer ranks.

        Raises:
            DamagedCheckpointError: a file is missing or damaged.
        """
        directory = checkpoint / f"rank-{rank}"
        if not directory.is_dir():
            directory = checkpoint / "rank-0"
        random = read_json(directory / "random.json")
        with reading(directory / "random.json"):
            random_state.check_host_state(random)
        metrics = directory / "metrics.npz"
        return cls(
            random=random,
            callbacks=read_bytes(directory / "callbacks.pkl"),
            loaders=_loaders(directory / "loaders.pkl"),
            layers=_arrays(directory / "layers.npz"),
            gradients=_arrays(directory / "gradients.npz"),
            directory=directory,
            metrics=_arrays(metrics) if metrics.exists() else [],
        )


def _loaders(path: Path) -> dict[str, dict[str, Any]]:
    data = read_bytes(path)
    with reading(path):
        loaders: dict[str, dict[str, Any]] = safe_pickle.loads(data)
        if {name: type(changes) for name, changes in loaders.items()} != _LOADERS:
            raise ValueError("expected what training and validation data remember")
        return loaders


def _arrays(path: Path) -> Arrays:
    bounds.check_npz(path)
    with reading(path), np.load(path, allow_pickle=False) as file:
        return [file[name] for name in file.files]
