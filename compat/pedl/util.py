"""``pedl.util``: the getters under their older names."""

from typing import Any

from pedl._run import get_experiment_config, legacy_hparams
from pedl2det_runtime.api.trial_info import current

__all__ = ["get_experiment_config", "get_hyperparameters"]


def get_hyperparameters() -> dict[str, Any]:
    """All hyperparameters of the running trial by name; ``batch_size`` is that of one slot."""
    return legacy_hparams(current())
