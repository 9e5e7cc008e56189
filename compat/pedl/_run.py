"""What old code asks of its run (spec/legacy_pedl.md, 1.2)."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from pedl2det_runtime.api.trial_info import TrialInfo, current
from pedl2det_runtime.errors import NoTrialError

_download_dir: Any = None


def legacy_hparams(info: TrialInfo) -> dict[str, Any]:
    """The hyperparameters as an old trial sees them: ``batch_size`` is that of one slot."""
    names = ("batch_size", "global_batch_size")
    hparams = {name: value for name, value in info.hparams.items() if name not in names}
    if any(name in info.hparams for name in names):
        hparams["batch_size"] = info.per_slot_batch_size
    return hparams


def get_hyperparameter(name: str) -> Any:
    """The value of one hyperparameter of the running trial.

    Raises:
        NoTrialError: no trial is running.
        KeyError: the config has no such hyperparameter.
    """
    hparams = legacy_hparams(current())
    if name not in hparams:
        raise KeyError(f"no hyperparameter {name!r}: the config has {', '.join(sorted(hparams))}")
    return hparams[name]


def get_experiment_config() -> dict[str, Any]:
    """The experiment config of the running trial, as its file gives it."""
    return current().config.raw


def get_trial_seed() -> int:
    """The seed that Python, NumPy and TensorFlow were given."""
    return current().seed


def get_experiment_id() -> int:
    """The experiment's number."""
    return current().experiment_id


def get_trial_id() -> int:
    """The trial's number."""
    return current().trial_id


def get_download_data_dir() -> Any:
    """What ``download_data`` of the running trial returned on this machine.

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


def downloaded_to(directory: Any) -> None:
    """Told by the adapter: what ``download_data`` returned."""
    global _download_dir
    _download_dir = directory


def is_valid_url(url: str) -> bool:
    """Whether a text has the form of an address: nothing is fetched."""
    parts = urlsplit(url)
    return bool(parts.scheme and parts.netloc)


class Experiment:
    """PEDL's Python form of an experiment, which was submitted to its cluster.

    Raises:
        NoTrialError: always: a trial is started by its config.
    """

    def __init__(self, *_: Any, **__: Any) -> None:
        raise NoTrialError(
            "pedl.Experiment submitted to a PEDL cluster, and there is none: write its config as "
            "a YAML file beside the trial and start it with `pedl2det run DIR`"
        )
