"""``determined.keras``: the context-based Keras API."""

from pedl2det_runtime.keras_versions import choose_keras_2

choose_keras_2()  # the callbacks below subclass those of tf.keras

from determined.keras import callbacks  # noqa: E402
from pedl2det_runtime.callbacks import TensorBoard, TFKerasTensorBoard  # noqa: E402
from pedl2det_runtime.context import (  # noqa: E402
    TFKerasExperimentalContext,
    TFKerasTrialContext,
)
from pedl2det_runtime.data import ArrayLike, InputData  # noqa: E402
from pedl2det_runtime.early_data import InMemorySequence, KerasDataAdapter  # noqa: E402
from pedl2det_runtime.load_model import load_model_from_checkpoint_path  # noqa: E402
from pedl2det_runtime.native import TFKerasNativeContext, init  # noqa: E402
from pedl2det_runtime.sequence_adapter import SequenceAdapter  # noqa: E402
from pedl2det_runtime.trial import TFKerasTrial  # noqa: E402

#: The name of the context in Determined 0.12.
TFKerasContext = TFKerasTrialContext

__all__ = [
    "ArrayLike",
    "InMemorySequence",
    "InputData",
    "KerasDataAdapter",
    "SequenceAdapter",
    "TFKerasContext",
    "TFKerasExperimentalContext",
    "TFKerasNativeContext",
    "TFKerasTensorBoard",
    "TFKerasTrial",
    "TFKerasTrialContext",
    "TensorBoard",
    "callbacks",
    "init",
    "load_model_from_checkpoint_path",
]
