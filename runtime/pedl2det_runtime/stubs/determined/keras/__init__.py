"""``determined.keras``: the context-based Keras API."""

from pedl2det_runtime.backends.keras_versions import choose_keras_2

choose_keras_2()  # before the callbacks below import tf.keras

from determined.keras import callbacks  # noqa: E402
from pedl2det_runtime import refusals  # noqa: E402
from pedl2det_runtime.api.callbacks import TFKerasTensorBoard  # noqa: E402
from pedl2det_runtime.api.context import TFKerasExperimentalContext, TFKerasTrialContext  # noqa: E402
from pedl2det_runtime.api.determined_callback import DeterminedCallback, TensorBoard  # noqa: E402
from pedl2det_runtime.api.trial import TFKerasTrial  # noqa: E402
from pedl2det_runtime.backends.random_state import get_rng_state, set_rng_state  # noqa: E402
from pedl2det_runtime.data.loaders import ArrayLike, InputData  # noqa: E402
from pedl2det_runtime.data.sequence_adapter import SequenceAdapter  # noqa: E402
from pedl2det_runtime.older_apis.early_data import (  # noqa: E402
    InMemorySequence,
    KerasDataAdapter,
    SequenceWithOffset,
    make_keras_data_adapter,
)
from pedl2det_runtime.training.load_model import load_model_from_checkpoint_path  # noqa: E402
from pedl2det_runtime.training.native_api import TFKerasNativeContext, init  # noqa: E402

#: The name of the context in Determined 0.12.
TFKerasContext = TFKerasTrialContext

#: Types of Determined 0.12.0, for annotations: one batch, and the return type of a loader.
KerasBatch = ArrayLike
KerasInputData = InputData

__all__ = [
    "ArrayLike",
    "DeterminedCallback",
    "InMemorySequence",
    "InputData",
    "KerasBatch",
    "KerasDataAdapter",
    "KerasInputData",
    "SequenceAdapter",
    "SequenceWithOffset",
    "TFKerasContext",
    "TFKerasExperimentalContext",
    "TFKerasNativeContext",
    "TFKerasTensorBoard",
    "TFKerasTrial",
    "TFKerasTrialContext",
    "TensorBoard",
    "callbacks",
    "get_rng_state",
    "init",
    "load_model_from_checkpoint_path",
    "make_keras_data_adapter",
    "set_rng_state",
]

refusals.complete(__name__)
