"""Data objects of PEDL and Determined 0.12.0: ``InMemorySequence``, ``KerasDataAdapter``.

Follows the PEDL documentation, *tf.keras Model Definition*, and the Determined documentation,
*determined.keras*, 0.12.
"""

from __future__ import annotations

from typing import Any

from pedl2det_legacy.in_memory_sequence import InMemorySequence, SequenceWithOffset
from pedl2det_runtime.data.loaders import as_data
from pedl2det_runtime.data.sequence_adapter import SequenceAdapter
from pedl2det_runtime.errors import CheckFailedError

__all__ = [
    "InMemorySequence",
    "KerasDataAdapter",
    "SequenceWithOffset",
    "make_keras_data_adapter",
]


class KerasDataAdapter(SequenceAdapter):
    """A Sequence with settings of its data workers.

    Follows the PEDL documentation, *tf.keras Model Definition*, Multithreading / Multiprocessing.
    """


def make_keras_data_adapter(data: Any, batch_size: int | None = None) -> Any:
    """Convert the return value of a loader into a :class:`KerasDataAdapter`.

    Args:
        data: an adapter, a Sequence, or ``(x, y)`` of arrays of shape (records, ...).
        batch_size: records per batch, for arrays.

    Raises:
        CheckFailedError: ``data`` is a tuple of arrays and ``batch_size`` is None.
    """
    if isinstance(data, KerasDataAdapter):
        return data
    if isinstance(data, tuple) and batch_size is None:
        raise CheckFailedError("make_keras_data_adapter: arrays need batch_size=")
    return KerasDataAdapter(as_data(data, batch_size or 0))
