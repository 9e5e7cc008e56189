"""``determined.frameworks.keras.data``."""

from determined.keras import InMemorySequence, KerasDataAdapter

__all__ = ["InMemorySequence", "KerasDataAdapter"]
