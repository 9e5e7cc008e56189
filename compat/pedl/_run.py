"""What old code asks of its run (spec/legacy_pedl.md, 1.2)."""

from __future__ import annotations

from typing import Any

from pedl2det_runtime.current import TrialInfo, current


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
