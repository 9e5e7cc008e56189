"""The table of old names of PEDL, Determined, Keras, TensorFlow 1 and NumPy, with their successors.

The package contains only data and imports only the standard library. ``pedl`` resolves these names
for old trials; ``pedl2det`` rewrites them.
"""

from pedl2det_names.harness import (
    ADAPTERS,
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
    METRIC_NAMES,
    OTHER_METRICS,
    TF_OPTIMIZERS,
)
from pedl2det_names.keras_paths import PUBLIC
from pedl2det_names.name import Age, Name
from pedl2det_names.table import lookup, rows
from pedl2det_names.tensorflow import COMPAT_V1

__all__ = [
    "ADAPTERS",
    "COMPAT_V1",
    "CONVOLUTIONS",
    "GET_HYPERPARAMETER",
    "IN_MEMORY_SEQUENCES",
    "LAYER_DEFAULTS",
    "LOADERS",
    "METRIC_NAMES",
    "OTHER_METRICS",
    "PUBLIC",
    "RANK_GETTERS",
    "ROOT",
    "TF_OPTIMIZERS",
    "Age",
    "Name",
    "is_legacy",
    "lookup",
    "mentions_legacy",
    "namesakes",
    "rows",
]
