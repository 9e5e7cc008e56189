"""``determined.keras.callbacks``."""

from pedl2det_runtime import refusals
from pedl2det_runtime.api.callbacks import (
    Callback,
    EarlyStopping,
    ReduceLROnPlateau,
    TensorBoard,
    TFKerasTensorBoard,
)

__all__ = [
    "Callback",
    "EarlyStopping",
    "ReduceLROnPlateau",
    "TFKerasTensorBoard",
    "TensorBoard",
]

refusals.complete(__name__)
