"""Callbacks that users subclass or use (``determined.keras.callbacks``)."""

from pedl2det_runtime.api.callbacks.base import Callback
from pedl2det_runtime.api.callbacks.by_validation import EarlyStopping, ReduceLROnPlateau
from pedl2det_runtime.api.callbacks.tensorboard import TensorBoard, TFKerasTensorBoard

__all__ = [
    "Callback",
    "EarlyStopping",
    "ReduceLROnPlateau",
    "TFKerasTensorBoard",
    "TensorBoard",
]
