"""The ``pedl`` API of 2019 and 2020, implemented on pedl2det_runtime.

The getters work during a run (``pedl2det run DIR``), also while the trial's modules are imported.
Follows docs/semantics.md, Names of ``pedl``. TensorFlow is not imported here.
"""

from pedl import old_keras
from pedl._run import (
    Experiment,
    get_download_data_dir,
    get_experiment_config,
    get_experiment_id,
    get_hyperparameter,
    get_trial_id,
    get_trial_seed,
)
from pedl2det_legacy.urls import is_valid_url
from pedl2det_runtime import refusals
from pedl2det_runtime.backends.keras_versions import choose_keras_2
from pedl2det_runtime.config.python_side import Categorical, Constant, Double, Integer, Log

__all__ = [
    "Categorical",
    "Constant",
    "Double",
    "Experiment",
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

choose_keras_2()
old_keras.serve()
refusals.complete(__name__, lazily={name: f"pedl.{name}" for name in _PACKAGES})
