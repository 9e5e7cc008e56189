"""``pedl.frameworks.keras.data``: the data objects that old loaders return (seed 004)."""

from pedl2det_runtime.semantics.early_data import (
    InMemorySequence,
    KerasDataAdapter,
    SequenceWithOffset,
)

__all__ = ["InMemorySequence", "KerasDataAdapter", "SequenceWithOffset"]
