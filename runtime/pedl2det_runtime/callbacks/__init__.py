"""Callbacks that users subclass (``determined.keras.callbacks``), and who calls them."""

from pedl2det_runtime.callbacks.base import Callback
from pedl2det_runtime.callbacks.by_validation import EarlyStopping, ReduceLROnPlateau
from pedl2det_runtime.callbacks.tensorboard import TensorBoard, TFKerasTensorBoard

__all__ = [
    "Callback",
    "EarlyStopping",
    "ReduceLROnPlateau",
    "TFKerasTensorBoard",
    "TensorBoard",
]
