"""``determined.frameworks.keras.data``."""

from determined.keras import InMemorySequence, KerasDataAdapter
from pedl2det_runtime import refusals

__all__ = ["InMemorySequence", "KerasDataAdapter"]

refusals.complete(__name__)
