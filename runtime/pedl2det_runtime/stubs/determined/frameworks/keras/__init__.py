"""``determined.frameworks.keras``."""

from determined.frameworks.keras import data
from determined.keras import TFKerasTrial

__all__ = ["TFKerasTrial", "data"]
