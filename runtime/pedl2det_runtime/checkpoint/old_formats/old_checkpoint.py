"""Tell the format of an old checkpoint, open it, and read what it says about itself."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pedl2det_runtime.backends import keras_versions
from pedl2det_runtime.checkpoint import optimizer_state
from pedl2det_runtime.checkpoint.old_formats import states
from pedl2det_runtime.checkpoint.old_formats.hdf5_model import HDF5Model
from pedl2det_runtime.checkpoint.old_formats.tensorflow_weights import TensorFlowWeights
from pedl2det_runtime.checkpoint.optimizer_state import OptimizerState
from pedl2det_runtime.checkpoint.untrusted_files import read_json, reading
from pedl2det_runtime.errors import CheckpointError

_BATCHES = ("steps_completed", "batch_number", "latest_batch")


@dataclass(frozen=True)
class Facts:
    """What a checkpoint says about itself; most say less."""

    #: versions of Determined and TensorFlow that wrote it
    versions: list[str] = field(default_factory=list)
    batches: int | None = None  #: batches trained
    config: dict[str, Any] | None = None  #: the experiment config
    hparams: dict[str, Any] | None = None  #: the hyperparameters
    entrypoint: Any = None  #: ``module:Class`` of the trial
    seed: int = 0  #: the seed in the config; 0 without one


def read_facts(directory: Path) -> Facts:
    """Read the facts of a checkpoint."""
    # pedl2det has files of the first two names, Determined keys of its files.
    known: dict[str, Any] = {
        name: read_json(directory / f"{name}.json")
        for name in ("experiment_config", "hparams")
        if os.path.lexists(directory / f"{name}.json")
    }
    for name in ("metadata.json", "load_data.json"):
        known |= read_json(directory / name) if os.path.lexists(directory / name) else {}
    with reading(directory / "metadata.json"):
        version, framework = known.get("determined_version"), known.get("framework")
        config = _mapping(known, "experiment_config")
        seed = (_mapping(config or {}, "reproducibility") or {}).get("experiment_seed")
        counts = (known.get(name) for name in _BATCHES)
        return Facts(
            versions=[
                *([f"Determined {version}"] if version else []),
                *([str(framework).replace("tensorflow-", "TensorFlow ")] if framework else []),
            ],
            batches=next((count for count in counts if isinstance(count, int)), None),
            config=config,
            hparams=_mapping(known, "hparams"),
            entrypoint=known.get("trial_cls_spec") or (config or {}).get("entrypoint"),
            seed=seed if isinstance(seed, int) and seed >= 0 else 0,
        )


def _mapping(values: dict[str, Any], key: str) -> dict[str, Any] | None:
    value = values.get(key)
    if value is not None and not isinstance(value, dict):
        raise ValueError(f"{key}: expected a mapping, found {type(value).__name__}")
    return value


@dataclass(frozen=True)
class OldCheckpoint:
    """A checkpoint of PEDL or Determined, or what those of pedl2det have in common with them."""

    path: Path  #: its directory
    format: str  #: what it is, and who wrote it
    facts: Facts  #: what it says about itself
    weights: HDF5Model | TensorFlowWeights  #: its weights and optimizers

    @property
    def batches(self) -> int | None:
        """The number of batches trained; None if nothing in it counts them."""
        known = self.facts.batches
        if known is None:
            known = states.trained_batches(self.path)
        steps = (state.steps for state in self.weights.optimizers() if known is None)
        return next(steps, None) if known is None else known

    def restore_optimizers(self, model: Any, optimizers: list[Any]) -> list[OptimizerState]:
        """Restore the optimizers of a built model, and return their states.

        ``optimizers`` are the wrapped ones in call order; if there are none, those of the model.
        """
        own = optimizers or keras_versions.optimizers(model)
        saved = self.weights.optimizers()
        if len(saved) != len(own):
            raise CheckpointError(
                f"{self.path}: holds the state of {len(saved)} optimizers, the trial has {len(own)}"
            )
        names = self.weights.names(model)
        for optimizer, state in zip(own, saved, strict=True):
            variables = keras_versions.optimizer_variables(model, optimizer)
            try:
                optimizer_state.restore(optimizer, variables, state, names)
            except ValueError as error:
                raise CheckpointError(
                    f"{self.weights.file}: the state of the optimizer does not fit: {error}"
                ) from None
        return saved

    @property
    def code(self) -> Path | None:
        """The directory of the trial's code; None if there is none."""
        code = self.path / "code"
        return code if code.is_dir() and not code.is_symlink() else None


_HDF5 = {
    "determined-keras-model.h5": "Determined 0.12.4 to 0.13.7: one HDF5 file",
    "determined-keras-model": "Determined up to 0.12.3: one HDF5 file",
    "pedl-keras-model": "PEDL: one HDF5 file",
}
_TENSORFLOW = {
    "determined-keras-model-weights": (
        "Determined 0.13.8 to 0.38: TensorFlow's weights, optimizers in HDF5"
    ),
    "model_checkpoint": "DeterminedCallback of Determined 0.38: TensorFlow's weights",
}
_OPTIMIZERS = "determined-keras-optimizer-weights.h5"
NAMES = (*_HDF5, *_TENSORFLOW)


def open_old(directory: Path) -> OldCheckpoint | None:
    """Open a checkpoint of any format; return None if it is none."""
    for name, described in _HDF5.items():
        if os.path.lexists(directory / name):
            model = HDF5Model(directory / name)
            return OldCheckpoint(directory, described, read_facts(directory), model)
    for name, described in _TENSORFLOW.items():
        if os.path.lexists(directory / f"{name}.index"):
            is_trials = name != "model_checkpoint"
            weights = TensorFlowWeights(
                directory / name, directory / _OPTIMIZERS if is_trials else None
            )
            return OldCheckpoint(directory, described, read_facts(directory), weights)
    return None


def open_checkpoint(directory: Path) -> OldCheckpoint:
    """Open a checkpoint of any format; refuse anything else."""
    found = open_old(directory)
    if found is None:
        raise CheckpointError(
            f"{directory}: no checkpoint of a Keras trial: expected state.json, or one of "
            f"{', '.join(NAMES)}"
        )
    return found
