"""``import determined`` without Determined: the API that pedl2det_runtime implements."""

from determined import core, errors
from pedl2det_runtime import refusals
from pedl2det_runtime.api.import_from_path import import_from_path
from pedl2det_runtime.api.trial_context import EnvContext, TrialContext
from pedl2det_runtime.api.trial_info import ClusterInfo, get_cluster_info
from pedl2det_runtime.api.trial_info import ClusterTrialInfo as TrialInfo
from pedl2det_runtime.config.config_dict import ConfigDict as ExperimentConfig
from pedl2det_runtime.config.hparams import Categorical, Constant, Double, Integer, Log
from pedl2det_runtime.errors import InvalidHP

__all__ = [
    "Categorical",
    "ClusterInfo",
    "Constant",
    "Double",
    "EnvContext",
    "ExperimentConfig",
    "Integer",
    "InvalidHP",
    "Log",
    "TrialContext",
    "TrialInfo",
    "core",
    "errors",
    "get_cluster_info",
    "import_from_path",
]

#: The version of Determined whose API this is.
__version__ = "0.38.1"

refusals.complete(
    __name__,
    lazily={
        **{name: f"determined.{name}" for name in ("common", "experimental", "keras")},
        "LegacyTrial": "pedl2det_runtime.api.trial:Trial",
        "Trial": "pedl2det_runtime.api.trial:Trial",  # its name before 0.18
        # Names of Determined 0.12.
        **{
            name: f"determined.experimental:{name}"
            for name in ("Mode", "create", "create_trial_instance")
        },
    },
)
