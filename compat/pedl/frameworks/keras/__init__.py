"""``pedl.frameworks.keras``: the interface for ``tf.keras`` (seed 004)."""

from pedl import idioms
from pedl.frameworks.keras import data
from pedl.frameworks.keras.tf_keras_trial import TFKerasTrial
from pedl2det_runtime.callbacks import TFKerasTensorBoard

__all__ = ["TFKerasTensorBoard", "TFKerasTrial", "data"]

idioms.activate()
