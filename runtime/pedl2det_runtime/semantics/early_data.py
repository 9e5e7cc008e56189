"""Data objects of PEDL and Determined 0.12.0: ``InMemorySequence``, ``KerasDataAdapter``.

Follows the PEDL documentation, *tf.keras Model Definition*, and the Determined documentation,
*determined.keras*, 0.12.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from pedl2det_runtime.data.loaders import as_data
from pedl2det_runtime.data.sequence_adapter import SequenceAdapter
from pedl2det_runtime.errors import CheckFailedError


class InMemorySequence(tf.keras.utils.Sequence):
    """A Sequence that slices arrays in memory into batches.

    Follows docs/semantics.md, Data loaders.

    Args:
        data: inputs, shape (records, ...): an array or a pandas DataFrame.
        labels: targets, shape (records, ...).
        batch_size: records per batch.
        sample_weight: weights, shape (records,). Only the length is checked; the weights are not
            used, as in PEDL.
        drop_leftovers: drop the last batch if it is smaller.

    Raises:
        CheckFailedError: the numbers of records differ, or are less than ``batch_size``.
    """

    def __init__(
        self,
        data: Any,
        labels: Any,
        batch_size: int,
        sample_weight: Any = None,
        drop_leftovers: bool = False,
    ) -> None:
        self._data, self._labels = np.asarray(data), np.asarray(labels)
        records = len(self._data)
        if records != len(self._labels):
            raise CheckFailedError("Length of input data and input labels do not match.")
        if sample_weight is not None and records != len(sample_weight):
            raise CheckFailedError("Length of input data and sample weights do not match.")
        if records < batch_size:
            raise CheckFailedError("Batch size is too large for the input data.")
        self._batch_size = batch_size
        self._length = records // batch_size if drop_leftovers else -(-records // batch_size)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        cut = slice(index * self._batch_size, (index + 1) * self._batch_size)
        return self._data[cut], self._labels[cut]


class KerasDataAdapter(SequenceAdapter):
    """A Sequence with settings of its data workers.

    Follows the PEDL documentation, *tf.keras Model Definition*, Multithreading / Multiprocessing.
    """


class SequenceWithOffset(tf.keras.utils.Sequence):
    """A Sequence rotated by an offset: item ``i`` is ``sequence[(i + offset) % len]``.

    Args:
        sequence: the data.
        batch_offset: index of the first batch.
    """

    def __init__(self, sequence: Any, batch_offset: int = 0) -> None:
        self._sequence, self._offset = sequence, batch_offset

    def __len__(self) -> int:
        return len(self._sequence)

    def __getitem__(self, index: int) -> Any:
        return self._sequence[(index + self._offset) % len(self._sequence)]


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
