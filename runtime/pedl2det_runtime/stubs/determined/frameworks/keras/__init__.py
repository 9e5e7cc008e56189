"""``determined.frameworks.keras``."""

from determined.frameworks.keras import data
from determined.keras import TFKerasTensorBoard, TFKerasTrial
from pedl2det_runtime import refusals

__all__ = ["TFKerasTensorBoard", "TFKerasTrial", "data"]

refusals.complete(__name__)
