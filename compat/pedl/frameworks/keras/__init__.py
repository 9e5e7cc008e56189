"""``pedl.frameworks.keras``: the interface for Keras (seed 004)."""

from typing import Any

from pedl import idioms
from pedl.frameworks.keras import data
from pedl.frameworks.keras.keras_trial import KerasFunctionalTrial, KerasTrial
from pedl.frameworks.keras.tf_keras_trial import TFKerasTrial
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
    """Give every process its own share of a ``tf.data.Dataset``, right after it was created.

    Args:
        dataset: the dataset; each one is wrapped for itself.

    Returns:
        The dataset, to be used in place of the one given.
    """
    info = current()
    return dataset.shard(info.slots, info.rank) if info.slots > 1 else dataset
