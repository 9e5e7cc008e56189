"""``determined.keras``: the context-based Keras API."""

from determined.keras import callbacks
from pedl2det_runtime.callbacks import TFKerasTensorBoard
from pedl2det_runtime.context import TFKerasExperimentalContext, TFKerasTrialContext
from pedl2det_runtime.sequence_adapter import SequenceAdapter
from pedl2det_runtime.trial import TFKerasTrial

__all__ = [
    "SequenceAdapter",
    "TFKerasExperimentalContext",
    "TFKerasTensorBoard",
    "TFKerasTrial",
    "TFKerasTrialContext",
    "callbacks",
]
