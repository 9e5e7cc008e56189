"""Writes checkpoints in the layouts of PEDL and Determined, as docs/checkpoints.md lists them."""

from __future__ import annotations

import json
import pickle
import random
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import tensorflow as tf

#: Checkpoints that Determined wrote.
REAL = Path(__file__).with_name("old_checkpoints")
HDF5 = ("pedl-keras-model", "determined-keras-model", "determined-keras-model.h5")
WEIGHTS = "determined-keras-model-weights"
CALLBACK = "model_checkpoint"
FORMATS = (*HDF5, WEIGHTS, CALLBACK)


def write(directory: Path, name: str, model: Any) -> Path:
    """Write a compiled model in the format whose main file has this name."""
    directory.mkdir()
    if name in HDF5:
        model.save(str(directory / name), save_format="h5")
    else:
        model.save_weights(str(directory / name), save_format="tf")
    if name == WEIGHTS:
        write_optimizers(directory, model.optimizer)
    return directory


def write_optimizers(directory: Path, *optimizers: Any) -> None:
    """Write the states of optimizers as Determined 0.13.8 and later did."""
    with h5py.File(directory / "determined-keras-optimizer-weights.h5", "w") as file:
        for number, optimizer in enumerate(optimizers):
            variables = optimizer.variables
            variables = variables() if callable(variables) else variables
            group = file.create_group(f"optimizer-{number}/optimizer_weights")
            group.attrs["weight_names"] = [variable.name.encode() for variable in variables]
            for variable in variables:
                group[variable.name] = variable.numpy()


def write_states(directory: Path, callbacks: list[Any], batches: int = 5) -> None:
    """Write random states and states of callbacks as Determined 0.17 did."""
    generator = tf.random.get_global_generator()
    dump(
        directory / "rng_state.pkl",
        {
            "np_rng_state": np.random.get_state(),
            "random_rng_state": random.getstate(),
            "tf2_rng_global_algorithm": generator.algorithm,
            "tf2_rng_global_state": generator.state,
        },
    )
    ours = {"trained_total": batches, "validation_len": 2}
    about = {"total_batches": batches, "latest_training_metrics": {"loss": tf.constant(0.5)}}
    states = {"self": about, "callbacks": [ours, *callbacks, {"val_loss": [0.5]}]}
    dump(directory / "determined-callbacks.v1.pkl", states)
    dump(directory / "workload_sequencer.pkl", {"trial_id": 1, "latest_batch": batches})


def write_load_data(directory: Path, config: dict[str, Any]) -> None:
    """Write what Determined 0.17.9 and later said about the trial."""
    about = {
        "trial_type": "TFKerasTrial",
        "experiment_config": config,
        "hparams": config["hyperparameters"],
        "trial_cls_spec": "model_def:T",
    }
    (directory / "load_data.json").write_text(json.dumps(about))


def dump(path: Path, value: Any) -> None:
    """Pickle as Determined did."""
    path.write_bytes(pickle.dumps(value))
