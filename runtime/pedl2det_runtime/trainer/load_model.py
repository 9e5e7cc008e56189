"""A trained model out of its checkpoint (``determined.keras.load_model_from_checkpoint_path``)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from pedl2det_runtime.api.context import TFKerasTrialContext
from pedl2det_runtime.api.trial_info import TrialInfo, running
from pedl2det_runtime.backends import graph_mode, keras_versions
from pedl2det_runtime.checkpoint import format as checkpoint
from pedl2det_runtime.checkpoint import model_files
from pedl2det_runtime.config.reader import config_from
from pedl2det_runtime.errors import CheckFailedError
from pedl2det_runtime.trainer.trial_loading import at_home, load_trial, users_code

_OLD_MODELS = ("determined-keras-model.h5", "determined-keras-model", "pedl-keras-model")


def load_model_from_checkpoint_path(path: str | Path, tags: list[str] | None = None) -> Any:  # noqa: ARG001
    """The model that a ``TFKerasTrial`` wrote into a checkpoint.

    The trial's own code, which is a part of the checkpoint, builds the model: the trial is
    constructed with a context as :meth:`TFKerasTrialContext.from_config` makes them, and asked for
    ``build_model()``. Older checkpoints, that are one HDF5 file, are opened by Keras.

    Args:
        path: the checkpoint's directory.
        tags: meant something for TensorFlow's SavedModels; not used.

    Returns:
        The ``tf.keras.Model``, compiled, with its weights and the state of its optimizer.

    Raises:
        AssertionError: there is no checkpoint of a Keras trial.
        CheckpointError: the checkpoint does not fit the trial in it.
        TrialCodeError: the trial's code raised.
    """
    keras_versions.choose_keras_2()
    keras_versions.prepare()
    directory = Path(path).resolve()
    if (directory / "state.json").exists():
        return _load(directory)
    for name in _OLD_MODELS:
        if (directory / name).exists():
            return _open_hdf5(directory / name)
    raise CheckFailedError(
        f"{path}: no checkpoint of a Keras trial: expected state.json of a checkpoint written "
        f"here, or one of {', '.join(_OLD_MODELS)}"
    )


def _load(directory: Path) -> Any:
    raw = checkpoint.read_json(directory / "experiment_config.json")
    config = config_from(raw)
    info = TrialInfo(
        config=config,
        hparams=checkpoint.read_json(directory / "hparams.json"),
        seed=config.reproducibility.experiment_seed,
        tensorboard_dir=Path(tempfile.gettempdir()) / "tensorboard",
    )
    code = directory / "code"
    with running(info), at_home(code):
        trial_class = load_trial(code, config.entrypoint)
        with users_code(code, f"build the model of {trial_class.__name__}"):
            model = trial_class(TFKerasTrialContext(info, managed=False)).build_model()
            if not graph_mode.is_chosen() or not model.built:
                batch = checkpoint.read_json(directory / "metadata.json")["batch"]
                keras_versions.build(model, model_files.spec_of_batch(batch))
    model_files.restore_weights(directory, model)
    return model


def _open_hdf5(path: Path) -> Any:
    import h5py
    import tensorflow as tf

    with h5py.File(path) as file:
        return tf.keras.models.load_model(file)
