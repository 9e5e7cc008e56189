"""``pedl.util``: getters under their older names."""

from typing import Any

from pedl._run import get_experiment_config, legacy_hparams
from pedl2det_runtime import refusals
from pedl2det_runtime.api.trial_info import current

__all__ = ["get_experiment_config", "get_hyperparameters"]


def get_hyperparameters() -> dict[str, Any]:
    """Return the hyperparameters by name, with ``batch_size`` in records per slot."""
    return legacy_hparams(current())


refusals.complete(__name__)
