"""``determined.experimental``: the Native API of Determined 0.12 to 0.15."""

from determined.experimental import keras
from pedl2det_runtime.trainer.native_api import Mode, create, create_trial_instance

__all__ = ["Mode", "create", "create_trial_instance", "keras"]
