"""Checkpoints: a directory that is whole or is not there.

=================================  ==========================================================
``determined-keras-model.h5``      architecture, weights and optimizer (``model.save``)
``determined-keras-model-weights`` instead, for a model that HDF5 cannot describe: TensorFlow's
                                   format, with the optimizer
``random-layers.npz``              the states of the model's random layers, and TensorFlow's own
``loaders.npz``                    what the data sequences changed in themselves
``state.json``                     progress, random states, what the reports knew
``callbacks.pkl``                  the states of the callbacks; read with an allow-list
``experiment_config.json``         the config, without credentials
``hparams.json``                   the hyperparameters
``code/``                          the trial's source code
``metadata.json``                  ``steps_completed``, versions, format
=================================  ==========================================================

It is written beside its place, synced and renamed.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import uuid
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pedl2det_runtime import keras_versions, safe_pickle, seeds
from pedl2det_runtime.errors import CheckpointError
from pedl2det_runtime.schedule import Progress

MODEL = "determined-keras-model.h5"
WEIGHTS = "determined-keras-model-weights"

_SECRET = ("secret", "password", "token", "access_key", "credential", "auth")
_NOT_CODE = {"__pycache__", ".git", ".venv", "node_modules"}


@dataclass(frozen=True)
class State:
    """What a run must remember beside its model.

    Attributes:
        progress: how far it is.
        records: lines of ``metrics.jsonl`` at this batch.
        random: the host's random states (:mod:`pedl2det_runtime.seeds`).
        best: the best value of the searcher's metric so far.
        seed: the trial's seed.
        slots: the processes that trained it.
        stopped: whether a callback ended the training.
    """

    progress: Progress
    records: int
    random: dict[str, Any]
    best: float | None
    seed: int
    slots: int
    stopped: bool = False


@dataclass(frozen=True)
class Belongings:
    """What a checkpoint carries of the run that wrote it, the same in each of them.

    Attributes:
        config: the experiment config.
        hparams: the trial's hyperparameters.
        directory: the trial's directory.
        code: the trial's source files, as they were found when the run began.
    """

    config: dict[str, Any]
    hparams: dict[str, Any]
    directory: Path
    code: tuple[Path, ...]


def code_of(directory: Path, results: Path) -> tuple[Path, ...]:
    """The source files of a trial, without those that earlier checkpoints hold."""
    return tuple(
        path
        for path in sorted(directory.rglob("*.py"))
        if not _NOT_CODE.intersection(path.relative_to(directory).parts)
        and results not in path.parents
        and not (path.parents[0].name == "code" and (path.parents[1] / "metadata.json").exists())
    )


def save(
    directory: Path,
    model: Any,
    state: State,
    *,
    callbacks: list[Any],
    loaders: dict[str, npt.NDArray[Any]],
    belongings: Belongings,
) -> Path:
    """Write a checkpoint under ``directory`` and return its own directory.

    Args:
        directory: where the run's checkpoints are.
        model: the model, with its optimizer.
        state: progress and random states.
        callbacks: the state of each callback, or None.
        loaders: what the data sequences changed in themselves.
        belongings: what every checkpoint of the run carries.

    Raises:
        CheckpointError: the disk refused.
    """
    name = str(uuid.uuid4())
    partial = directory / f".{name}.partial"
    try:
        partial.mkdir(parents=True)
        saved_as = _save_model(model, partial)
        _save_random_layers(model, partial)
        _write_json(partial / "state.json", asdict(state) | {"optimizer": _settings(model)})
        arrays: dict[str, Any] = dict(loaders)
        np.savez(partial / "loaders.npz", **arrays)
        (partial / "callbacks.pkl").write_bytes(safe_pickle.dumps(callbacks))
        _write_json(partial / "experiment_config.json", without_credentials(belongings.config))
        _write_json(partial / "hparams.json", belongings.hparams)
        _copy_code(belongings, partial / "code")
        _write_json(
            partial / "metadata.json",
            {"steps_completed": state.progress.batches, "format": saved_as}
            | keras_versions.described(),
        )
        _sync_tree(partial)
        partial.rename(directory / name)
        _sync(directory)
    except BaseException as error:
        shutil.rmtree(partial, ignore_errors=True)
        if not isinstance(error, OSError):
            raise
        raise CheckpointError(
            f"{directory}: the checkpoint could not be written: {error.strerror}"
        ) from error
    return directory / name


def latest(directory: Path) -> Path | None:
    """The checkpoint under ``directory`` that has trained most batches, if there is one."""
    found = []
    for path in directory.glob("[!.]*/metadata.json"):
        with contextlib.suppress(ValueError, KeyError):  # damaged: the others still count
            steps = json.loads(path.read_text())["steps_completed"]
            found.append((steps, path.stat().st_mtime_ns, path.parent))
    return max(found)[2] if found else None


def read_state(checkpoint: Path, hparams: dict[str, Any], seed: int) -> State:
    """The state that a checkpoint holds.

    Raises:
        CheckpointError: it is damaged, or of a trial with another seed or hyperparameters.
    """
    saved = _read_json(checkpoint / "hparams.json")
    if saved != json.loads(json.dumps(hparams)):
        names = sorted(
            name for name in saved.keys() | hparams.keys() if saved.get(name) != hparams.get(name)
        )
        raise CheckpointError(
            f"{checkpoint}: it was trained with other hyperparameters ({', '.join(names)}): "
            "continue with those, or start anew in another directory"
        )
    fields = _read_json(checkpoint / "state.json")
    fields.pop("optimizer", None)
    state = State(**fields | {"progress": Progress(**fields["progress"])})
    if state.seed != seed:
        raise CheckpointError(
            f"{checkpoint}: it was trained with seed {state.seed}, and this run has seed {seed}"
        )
    return state


def restore_model(checkpoint: Path, model: Any) -> None:
    """Put the weights, the optimizer and the random layers back into a built model.

    Raises:
        CheckpointError: they do not fit the model.
    """
    try:
        if (checkpoint / MODEL).exists():
            model.load_weights(str(checkpoint / MODEL))
            _restore_optimizer(checkpoint / MODEL, model)
        else:
            # Optimizers get their variables at their first step, and their values then; what
            # exists already must be in the checkpoint.
            model.load_weights(str(checkpoint / WEIGHTS)).assert_existing_objects_matched()
        _restore_random_layers(checkpoint, model)
    except (ValueError, AssertionError, OSError, KeyError) as error:
        raise CheckpointError(f"{checkpoint}: it does not fit this model: {error}") from error
    settings = _read_json(checkpoint / "state.json")["optimizer"]
    for name, variable in keras_versions.optimizer_settings(model).items():
        variable.assign(settings[name])
    keras_versions.train_counter(model).assign(
        _read_json(checkpoint / "metadata.json")["steps_completed"]
    )


def read_callbacks(checkpoint: Path) -> list[Any]:
    """The states of the callbacks, in their order."""
    states: list[Any] = safe_pickle.loads((checkpoint / "callbacks.pkl").read_bytes())
    return states


def read_loaders(checkpoint: Path) -> dict[str, npt.NDArray[Any]]:
    """What the data sequences had changed in themselves."""
    with np.load(checkpoint / "loaders.npz", allow_pickle=False) as arrays:
        return dict(arrays)


def without_credentials(value: Any) -> Any:
    """A copy of a config in which every credential is replaced by stars."""
    if isinstance(value, dict):
        return {
            key: "********"
            if any(word in str(key).lower() for word in _SECRET) and not isinstance(child, dict)
            else without_credentials(child)
            for key, child in value.items()
        }
    if isinstance(value, list):
        return [without_credentials(child) for child in value]
    return value


def _save_model(model: Any, directory: Path) -> str:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="You are saving your model as an HDF5 file")
        try:
            image = _hdf5_image(model)
        except (NotImplementedError, TypeError, ValueError):
            model.save_weights(str(directory / WEIGHTS), save_format="tf")
            return "saved_weights"
    (directory / MODEL).write_bytes(image)
    return "h5"


def _hdf5_image(model: Any) -> bytes:
    """The model's HDF5 file, made in memory: on a full disk the HDF5 library ends the process."""
    import h5py

    with h5py.File("image", "w", driver="core", backing_store=False) as file:
        model.save(file, save_format="h5")
        file.flush()
        return bytes(file.id.get_file_image())


def _restore_optimizer(path: Path, model: Any) -> None:
    import h5py

    variables = keras_versions.optimizer_variables(model)
    with h5py.File(path) as file:
        group = file.get("optimizer_weights", {})
        names = list(group.attrs["weight_names"]) if group else []
        if len(names) != len(variables):
            raise ValueError(
                f"it holds {len(names)} optimizer variables, the optimizer has {len(variables)}"
            )
        for name, variable in zip(names, variables, strict=True):
            variable.assign(np.asarray(group[name]))


def _settings(model: Any) -> dict[str, float]:
    settings = keras_versions.optimizer_settings(model)
    return {name: float(variable.numpy()) for name, variable in settings.items()}


def _save_random_layers(model: Any, directory: Path) -> None:
    states = [state.numpy() for state in _random_states(model)]
    np.savez(directory / "random-layers.npz", *states)


def _random_states(model: Any) -> list[Any]:
    """TensorFlow's random states that are variables: the layers' and the global generator's."""
    return [*keras_versions.random_layer_states(model), *seeds.global_generator_states()]


def _restore_random_layers(checkpoint: Path, model: Any) -> None:
    variables = _random_states(model)
    with np.load(checkpoint / "random-layers.npz", allow_pickle=False) as states:
        if len(states.files) != len(variables):
            raise ValueError(
                f"it holds {len(states.files)} random layers, the model has {len(variables)}"
            )
        for name, variable in zip(states.files, variables, strict=True):
            variable.assign(states[name])


def _copy_code(belongings: Belongings, target: Path) -> None:
    for path in belongings.code:
        copy = target / path.relative_to(belongings.directory)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1, default=str) + "\n", encoding="utf-8")


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path}: damaged checkpoint: {error}") from None


def _sync_tree(directory: Path) -> None:
    for path in [*directory.rglob("*"), directory]:
        _sync(path)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_weights(checkpoint: Path) -> dict[str, npt.NDArray[Any]]:
    """Every array of a checkpoint's model and optimizer, by its name in the file."""
    if (checkpoint / MODEL).exists():
        import h5py

        arrays: dict[str, npt.NDArray[Any]] = {}
        with h5py.File(checkpoint / MODEL) as file:
            file.visititems(
                lambda name, item: (
                    arrays.update({name: np.asarray(item)})
                    if isinstance(item, h5py.Dataset)
                    else None
                )
            )
        return arrays
    import tensorflow as tf

    reader = tf.train.load_checkpoint(str(checkpoint / WEIGHTS))
    names = (name for name in reader.get_variable_to_shape_map() if name.endswith("VALUE"))
    return {name: np.asarray(reader.get_tensor(name)) for name in names}
