"""``pedl.frameworks.keras.data``: the data objects that old loaders return (seed 004)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from pedl2det_runtime.errors import CheckFailedError
from pedl2det_runtime.sequence_adapter import SequenceAdapter


class InMemorySequence(tf.keras.utils.Sequence):
    """Batches cut from arrays in memory (spec/legacy_pedl.md, 1.4).

    Args:
        data: inputs, shape (records, ...): an array or a pandas DataFrame.
        labels: targets, shape (records, ...).
        batch_size: records in a batch.
        sample_weight: checked for its length and, as ever, not used.
        drop_leftovers: leave out the last batch if it is smaller.

    Raises:
        CheckFailedError: lengths differ, or there are fewer records than one batch.
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
    """A Sequence and its workers (seed 004, Multithreading / Multiprocessing)."""
