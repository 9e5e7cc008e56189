"""Save and restore the model of a checkpoint: weights, optimizers, layer states, batch spec."""

from __future__ import annotations

import contextlib
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pedl2det_runtime.backends import graph_mode, keras_versions, random_state
from pedl2det_runtime.checkpoint import resource_limits
from pedl2det_runtime.checkpoint.old_formats.hdf5_model import datasets, decode_names
from pedl2det_runtime.checkpoint.state import RankState
from pedl2det_runtime.checkpoint.untrusted_files import read_json
from pedl2det_runtime.errors import CheckpointError, DamagedCheckpointError
from pedl2det_runtime.errors.trial_code import one_line

MODEL = "determined-keras-model.h5"
WEIGHTS = "determined-keras-model-weights"
_OPTIMIZER = "optimizer.json"


def save(model: Any, directory: Path) -> dict[str, str]:
    """Write a model's files and return their format for the metadata.

    The format is HDF5, or TensorFlow's format if HDF5 does not support the model or its
    optimizers.
    """
    settings = {
        name: float(graph_mode.value(variable))
        for name, variable in keras_versions.optimizer_settings(model.optimizer).items()
    }
    (directory / _OPTIMIZER).write_text(json.dumps(settings), encoding="utf-8")
    if len(keras_versions.optimizers(model)) == 1:  # HDF5 holds one of Keras, none of tf.train
        image = _hdf5_image(model)
        if image is not None:
            (directory / MODEL).write_bytes(image)
            return {"format": "h5"}
    model.save_weights(str(directory / WEIGHTS), save_format="tf")
    return {"format": "saved_weights"}


def restore(
    checkpoint: Path,
    model: Any,
    batches: int,
    own: RankState,
    built: frozenset[str] = frozenset(),
) -> None:
    """Restore the weights, optimizers and layer states of a built model.

    The checkpoint is one of this run, and verified. ``built`` is that of :func:`restore_weights`.
    """
    restore_weights(checkpoint, model, built, is_whole=True)
    states = own.layers
    with fit_errors(own.directory / "layers.npz"):
        variables = layer_state_variables(model) if own.random else []
        if len(states) != len(variables):
            raise ValueError(f"it has {len(states)} layer states, the model has {len(variables)}")
        for state, variable in zip(states, variables, strict=True):
            graph_mode.assign(variable, state)
    if not graph_mode.is_chosen():  # Keras has no counter in graph mode
        model._train_counter.assign(batches)


def layer_states(model: Any) -> list[npt.NDArray[Any]]:
    """Return the states of random and recurrent layers and of TensorFlow's generator."""
    return [np.asarray(graph_mode.value(variable)) for variable in layer_state_variables(model)]


def restore_weights(
    checkpoint: Path,
    model: Any,
    built: frozenset[str] = frozenset(),
    *,
    is_whole: bool = False,
) -> None:
    """Restore the weights and optimizers of a built model.

    The settings in ``built``, such as ``optimizer.learning_rate``, stay as the code built them;
    with ``optimizer.class``, all of the optimizer does. ``is_whole`` is that of
    :func:`.resource_limits.check_hdf5`.

    Raises:
        DamagedCheckpointError: a file is damaged, or has more data than such a model.
        CheckpointError: the checkpoint does not fit the model.
    """
    is_other = any(name.endswith(".class") for name in built)
    kept = [(variable, graph_mode.value(variable)) for variable in _settings(model, built)]
    file, limit = checkpoint / MODEL, resource_limits.largest(model)
    if file.exists():
        resource_limits.check_hdf5(file, limit, is_whole=is_whole)
        with fit_errors(file):
            model.load_weights(str(file))
            if not is_other:
                _restore_optimizer(file, model)
    elif is_other:
        raise CheckpointError(
            f"{checkpoint / WEIGHTS}: holds the weights with the state of another optimizer"
        )
    else:
        resource_limits.check_tensors(checkpoint / WEIGHTS, limit)
        # Optimizers create and restore their variables at their first step; variables that
        # already exist must be in the checkpoint. Graph mode restores existing ones only.
        if graph_mode.is_chosen():
            keras_versions.optimizer_variables(model)
        with fit_errors(checkpoint / WEIGHTS):
            status = model.load_weights(str(checkpoint / WEIGHTS))
            if not graph_mode.is_chosen():
                status.assert_existing_objects_matched()
    if not is_other:
        settings = read_json(checkpoint / _OPTIMIZER)
        with fit_errors(checkpoint / _OPTIMIZER):
            for name, variable in keras_versions.optimizer_settings(model.optimizer).items():
                graph_mode.assign(variable, settings[name])
    for variable, value in kept:
        graph_mode.assign(variable, value)


def _settings(model: Any, names: frozenset[str]) -> list[Any]:
    """Return the variables of some settings of the model's optimizers."""
    return [
        variable
        for name, optimizer in keras_versions.named_optimizers(model).items()
        for setting, variable in keras_versions.optimizer_settings(optimizer).items()
        if f"{name}.{setting}" in names
    ]


def check(checkpoint: Path) -> None:
    """Refuse files of a model that are missing or damaged, without a model."""
    read_json(checkpoint / _OPTIMIZER)
    if not (checkpoint / f"{WEIGHTS}.index").exists():
        resource_limits.check_hdf5(checkpoint / MODEL)


def read_weights(checkpoint: Path) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a checkpoint's model and optimizers, by their name in the file."""
    if (checkpoint / MODEL).exists():
        import h5py

        with h5py.File(checkpoint / MODEL) as file:
            return {path: np.asarray(array) for path, array in datasets(file)}
    keras_versions.load_tensorflow()
    import tensorflow as tf

    reader = tf.train.load_checkpoint(str(checkpoint / WEIGHTS))
    names = (name for name in reader.get_variable_to_shape_map() if name.endswith("VALUE"))
    return {name: np.asarray(reader.get_tensor(name)) for name in names}


def describe_spec(spec: Any) -> Any:
    """Convert the ``tf.TensorSpec`` of a batch to JSON, for example ``"float32:,28,28"``."""
    if isinstance(spec, dict):
        return {name: describe_spec(part) for name, part in spec.items()}
    if isinstance(spec, list | tuple):
        return [describe_spec(part) for part in spec]
    if not hasattr(spec, "shape") or spec.shape.rank is None:
        return None
    sizes = ("" if size is None else str(size) for size in spec.shape)
    return f"{spec.dtype.name}:{','.join(sizes)}"


def spec_of_batch(described: Any) -> Any:
    """Convert the result of :func:`describe_spec` back to ``tf.TensorSpec``."""
    import tensorflow as tf

    if isinstance(described, dict):
        return {name: spec_of_batch(part) for name, part in described.items()}
    if isinstance(described, list):
        return tuple(spec_of_batch(part) for part in described)
    dtype, _, sizes = described.partition(":")
    return tf.TensorSpec([int(size) if size else None for size in sizes.split(",")], dtype)


@contextlib.contextmanager
def fit_errors(file: Path) -> Iterator[None]:
    """Convert errors to a :class:`CheckpointError` that names ``file``."""
    try:
        yield
    except DamagedCheckpointError:
        raise
    except Exception as error:
        reason = one_line(error).removeprefix("ValueError: ")
        raise CheckpointError(f"{file}: it does not fit this model: {reason}") from error


def _hdf5_image(model: Any) -> bytes | None:
    """Return the content of the model's HDF5 file; None if HDF5 does not support the model.

    The file is written in memory, because on a full disk the HDF5 library aborts the process.
    """
    import h5py

    with (
        warnings.catch_warnings(),
        keras_versions.keep_metrics_unbuilt(model),
        h5py.File("image", "w", driver="core", backing_store=False) as file,
    ):
        warnings.filterwarnings("ignore", message="You are saving your model as an HDF5 file")
        try:
            model.save(file, save_format="h5")
        except OSError:
            raise
        except Exception:  # a user's get_config may raise anything
            return None
        file.flush()
        return bytes(file.id.get_file_image())


def _restore_optimizer(path: Path, model: Any) -> None:
    import h5py

    variables = keras_versions.optimizer_variables(model)
    with h5py.File(path) as file:
        group = file.get("optimizer_weights", {})
        names = decode_names(group.attrs["weight_names"]) if group else []
        if len(names) != len(variables):
            # An optimizer that trains part of the model has fewer; match them by name.
            named = {variable.name: variable for variable in variables}
            if not set(names) <= named.keys() or not names:
                raise ValueError(
                    f"it has {len(names)} optimizer variables, the optimizer has {len(variables)}"
                )
            variables = [named[name] for name in names]
        for name, variable in zip(names, variables, strict=True):
            graph_mode.assign(variable, np.asarray(group[name]))


def layer_state_variables(model: Any) -> list[Any]:
    """Return the state variables of layers and of the global generator."""
    return [*keras_versions.layer_states(model), *random_state.global_generator_states()]
