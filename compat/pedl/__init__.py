"""The ``pedl`` API of 2019 and 2020, implemented on pedl2det_runtime.

The getters work during a run (``pedl2det run DIR``), also while the trial's modules are imported;
if no trial is running, they raise ``NoTrialError``. Follows docs/semantics.md, Names of ``pedl``.
TensorFlow is not imported here.
"""

from __future__ import annotations

from typing import Any

from pedl import old_keras
from pedl2det_legacy import download as _download
from pedl2det_legacy.download import is_valid_url
from pedl2det_runtime import refusals
from pedl2det_runtime.api.trial_info import current
from pedl2det_runtime.backends.keras_versions import choose_keras_2
from pedl2det_runtime.config.hparams import Categorical, Constant, Double, Integer, Log
from pedl2det_runtime.errors import NoTrialError

__all__ = [
    "Categorical",
    "Constant",
    "Double",
    "Integer",
    "Log",
    "get_download_data_dir",
    "get_experiment_config",
    "get_experiment_id",
    "get_hyperparameter",
    "get_trial_id",
    "get_trial_seed",
    "is_valid_url",
]

_PACKAGES = ("data", "frameworks", "trial", "trial_controller", "util")


def _legacy_hparams() -> dict[str, Any]:
    """Return the hyperparameters by name, with ``batch_size`` in records per slot.

    Follows docs/semantics.md, Batch size.
    """
    info = current()
    names = ("batch_size", "global_batch_size")
    hparams = {name: value for name, value in info.hparams.items() if name not in names}
    if any(name in info.hparams for name in names):
        hparams["batch_size"] = info.per_slot_batch_size
    return hparams


def get_hyperparameter(name: str) -> Any:
    """Return the value of a hyperparameter; ``batch_size`` is in records per slot.

    Raises:
        KeyError: the config has no such hyperparameter.
    """
    hparams = _legacy_hparams()
    if name not in hparams:
        raise KeyError(f"no hyperparameter {name!r}: the config has {', '.join(sorted(hparams))}")
    return hparams[name]


def get_experiment_config() -> dict[str, Any]:
    """Return the experiment config, the same dict to all that ask."""
    return current().experiment_config


def get_trial_seed() -> int:
    """Return the seed of ``random``, NumPy and TensorFlow."""
    return current().seed


def get_experiment_id() -> int:
    """Return the ID of the experiment."""
    return current().experiment_id


def get_trial_id() -> int:
    """Return the ID of the trial."""
    return current().trial_id


def get_download_data_dir() -> Any:
    """Return the value that the trial's ``download_data`` returned on this machine.

    Raises:
        NoTrialError: no trial is running, or it has no ``download_data``.
    """
    current()
    if _download._download_data_dir is None:
        raise NoTrialError(
            "get_download_data_dir: this trial has no download_data(experiment_config, hparams) "
            "beside it that returned a directory"
        )
    return _download._download_data_dir


choose_keras_2()
old_keras.serve()
refusals.complete(__name__, lazily={name: f"pedl.{name}" for name in _PACKAGES})
