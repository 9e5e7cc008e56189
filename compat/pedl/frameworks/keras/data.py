"""``pedl.frameworks.keras.data``: data objects that loaders of PEDL return."""

from pedl2det_runtime import refusals
from pedl2det_runtime.older_apis.early_data import (
    InMemorySequence,
    KerasDataAdapter,
    SequenceWithOffset,
)

__all__ = ["InMemorySequence", "KerasDataAdapter", "SequenceWithOffset"]

refusals.complete(__name__)
