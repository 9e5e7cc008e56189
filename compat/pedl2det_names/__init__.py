"""The table of old names of PEDL, Determined, Keras, TensorFlow 1 and NumPy, with their successors.

The package contains only data and imports only the standard library. ``pedl`` resolves these names
for old trials; ``pedl2det`` rewrites them.
"""

from pedl2det_names.age import Age
from pedl2det_names.compat_v1 import COMPAT_V1
from pedl2det_names.harness import (
    ADAPTERS,
    CONFIG_IN_STEPS,
    GET_HYPERPARAMETER,
    IN_MEMORY_SEQUENCES,
    LOADERS,
    RANK_GETTERS,
    ROOT,
    is_legacy,
    mentions_legacy,
    namesakes,
)
from pedl2det_names.keras_arguments import (
    CONVOLUTIONS,
    LAYER_DEFAULTS,
    OLD_DEFAULTS,
    STANDALONE_RATES,
    TF_OPTIMIZERS,
)
from pedl2det_names.keras_public import PUBLIC
from pedl2det_names.metric_names import METRIC_NAMES, OTHER_METRICS
from pedl2det_names.name import Name
from pedl2det_names.table import find, lookup, rows

__all__ = [
    "ADAPTERS",
    "COMPAT_V1",
    "CONFIG_IN_STEPS",
    "CONVOLUTIONS",
    "GET_HYPERPARAMETER",
    "IN_MEMORY_SEQUENCES",
    "LAYER_DEFAULTS",
    "LOADERS",
    "METRIC_NAMES",
    "OLD_DEFAULTS",
    "OTHER_METRICS",
    "PUBLIC",
    "RANK_GETTERS",
    "ROOT",
    "STANDALONE_RATES",
    "TF_OPTIMIZERS",
    "Age",
    "Name",
    "find",
    "is_legacy",
    "lookup",
    "mentions_legacy",
    "namesakes",
    "rows",
]
