"""``determined.frameworks.keras``."""

from determined.frameworks.keras import data
from determined.keras import TFKerasTensorBoard, TFKerasTrial

__all__ = ["TFKerasTensorBoard", "TFKerasTrial", "data"]
