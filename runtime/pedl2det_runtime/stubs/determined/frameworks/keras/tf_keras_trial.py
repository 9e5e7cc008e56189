"""``determined.frameworks.keras.tf_keras_trial``."""

from determined.keras import TFKerasTrial
from pedl2det_runtime import refusals

__all__ = ["TFKerasTrial"]

refusals.complete(__name__)
