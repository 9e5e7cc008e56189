"""``determined.keras.callbacks``."""

from pedl2det_runtime.callbacks import Callback, TensorBoard, TFKerasTensorBoard

__all__ = ["Callback", "TFKerasTensorBoard", "TensorBoard"]
