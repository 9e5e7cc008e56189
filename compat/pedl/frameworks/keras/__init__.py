"""``pedl.frameworks.keras``: trials and data objects for Keras.

Follows the PEDL documentation, *tf.keras Model Definition*.
"""

from typing import Any

from pedl import idioms
from pedl.frameworks.keras import data
from pedl.frameworks.keras.keras_trial import KerasFunctionalTrial, KerasTrial
from pedl.frameworks.keras.tf_keras_trial import TFKerasTrial
from pedl2det_runtime import refusals
from pedl2det_runtime.api.callbacks import TFKerasTensorBoard
from pedl2det_runtime.api.trial_info import current

__all__ = [
    "KerasFunctionalTrial",
    "KerasTrial",
    "TFKerasTensorBoard",
    "TFKerasTrial",
    "data",
    "wrap_dataset",
]

idioms.activate()


def wrap_dataset(dataset: Any) -> Any:
    """Shard a ``tf.data.Dataset`` between processes. Call this immediately after creating it.

    Args:
        dataset: the dataset. Wrap the training and the validation dataset separately.

    Returns:
        The dataset of this process; use it instead of the argument.

    Raises:
        NoTrialError: no trial is running.
    """
    info = current()
    return dataset.shard(info.slots, info.rank) if info.slots > 1 else dataset


refusals.complete(__name__)
