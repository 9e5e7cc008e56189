"""``determined.frameworks.keras.tf_keras_trial``."""

from determined.keras import TFKerasTrial

__all__ = ["TFKerasTrial"]
