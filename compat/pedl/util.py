"""``pedl.util``: getters under their older names."""

from pedl import _legacy_hparams as get_hyperparameters
from pedl import get_experiment_config
from pedl2det_runtime import refusals

__all__ = ["get_experiment_config", "get_hyperparameters"]

refusals.complete(__name__)
