"""Callbacks that users subclass (``determined.keras.callbacks``), and who calls them."""

from pedl2det_runtime.callbacks.base import Callback
from pedl2det_runtime.callbacks.tensorboard import TensorBoard, TFKerasTensorBoard

__all__ = ["Callback", "TFKerasTensorBoard", "TensorBoard"]
