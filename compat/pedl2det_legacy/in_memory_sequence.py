"""`InMemorySequence` and `SequenceWithOffset` of PEDL."""

import numpy as np
import tensorflow as tf


class InMemorySequence(tf.keras.utils.Sequence):
    """Batches cut from arrays; `sample_weight` is checked, and not used.

    Args:
        data: inputs, shape (records, ...): an array or a pandas DataFrame.
        labels: targets, shape (records, ...).
        batch_size: records per batch.
        sample_weight: weights, shape (records,), of which only the length is checked.
        drop_leftovers: drop the last batch if it is smaller.

    Raises:
        ValueError: the numbers of records differ, or are less than `batch_size`.
    """

    def __init__(
        self, data, labels, batch_size, sample_weight=None, drop_leftovers=False
    ):
        self._data, self._labels = np.asarray(data), np.asarray(labels)
        records = len(self._data)
        if records != len(self._labels):
            raise ValueError("Length of input data and input labels do not match.")
        if sample_weight is not None and records != len(sample_weight):
            raise ValueError("Length of input data and sample weights do not match.")
        if records < batch_size:
            raise ValueError("Batch size is too large for the input data.")
        self._batch_size = batch_size
        self._length = records // batch_size
        if not drop_leftovers and records % batch_size:
            self._length += 1

    def __len__(self):
        return self._length

    def __getitem__(self, index):
        cut = slice(index * self._batch_size, (index + 1) * self._batch_size)
        return self._data[cut], self._labels[cut]


class SequenceWithOffset(tf.keras.utils.Sequence):
    """A Sequence rotated by an offset: item `i` is `sequence[(i + offset) % len]`.

    Args:
        sequence: the data.
        batch_offset: index of the first batch.
    """

    def __init__(self, sequence, batch_offset=0):
        self._sequence, self._offset = sequence, batch_offset

    def __len__(self):
        return len(self._sequence)

    def __getitem__(self, index):
        return self._sequence[(index + self._offset) % len(self._sequence)]
