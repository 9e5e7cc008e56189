"""Getters of ``pedl`` for the running trial; if there is none, they raise ``NoTrialError``.

Follows docs/semantics.md, Names of ``pedl`` and Batch size.
"""

from __future__ import annotations

from typing import Any

from pedl2det_runtime.api.trial_info import TrialInfo, current
from pedl2det_runtime.errors import NoTrialError

_download_dir: Any = None


def legacy_hparams(info: TrialInfo) -> dict[str, Any]:
    """Return the hyperparameters by name, with ``batch_size`` in records per slot."""
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
    hparams = legacy_hparams(current())
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
    if _download_dir is None:
        raise NoTrialError(
            "get_download_data_dir: this trial has no download_data(experiment_config, hparams) "
            "beside it that returned a directory"
        )
    return _download_dir


def set_download_dir(directory: Any) -> None:
    """Store the return value of ``download_data``."""
    global _download_dir
    _download_dir = directory


class Experiment:
    """Not supported: PEDL submitted this experiment to a cluster."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise NoTrialError(
            "pedl.Experiment submitted to a PEDL cluster, and there is none: write its config as "
            "a YAML file beside the trial and start it with `pedl2det run DIR`"
        )
