"""The record loaders of PEDL before 0.10."""

import abc
import math

import numpy as np


class Batch:
    """Some records: arrays by name; one unnamed array is `input` or `label`."""

    def __init__(self, data, labels):
        self.data = data if isinstance(data, dict) else {"input": np.asarray(data)}
        self.labels = (
            labels if isinstance(labels, dict) else {"label": np.asarray(labels)}
        )

    def __len__(self):
        return len(next(iter(self.data.values())))


class BatchLoader(abc.ABC):
    """Gives any range of the records of a data set."""

    @abc.abstractmethod
    def __len__(self):
        """Return the number of records."""

    @abc.abstractmethod
    def get_batch(self, start, end):
        """Return the records from `start` up to and without `end`."""

    def batches(self, batch_size):
        """Return the records as a Sequence of batches; the last one may be smaller."""
        if batch_size is None:
            raise ValueError("the number of records in a batch must be given")
        return _CutBatches(self, batch_size)


class ArrayBatchLoader(BatchLoader):
    """Records in memory."""

    def __init__(self, data, labels):
        self._all = Batch(data, labels)
        arrays = [*self._all.data.values(), *self._all.labels.values()]
        if len({len(array) for array in arrays}) > 1:
            raise ValueError("Length of input data and input labels do not match.")

    def __len__(self):
        return len(self._all)

    def get_batch(self, start, end):
        """Return the records from `start` up to and without `end`."""
        return Batch(
            {name: array[start:end] for name, array in self._all.data.items()},
            {name: array[start:end] for name, array in self._all.labels.items()},
        )


class SliceBatchLoader(BatchLoader):
    """The records `start` to `end` of another loader."""

    def __init__(self, loader, start, end):
        self._loader, self._start, self._end = loader, start, min(end, len(loader))

    def __len__(self):
        return self._end - self._start

    def get_batch(self, start, end):
        """Return the records from `start` up to and without `end`."""
        return self._loader.get_batch(
            self._start + start, min(self._start + end, self._end)
        )


class _CutBatches:
    """Batches cut from the records of a BatchLoader."""

    def __init__(self, loader, batch_size):
        self._loader, self._batch_size = loader, batch_size

    def __len__(self):
        return math.ceil(len(self._loader) / self._batch_size)

    def __getitem__(self, index):
        start = index * self._batch_size
        end = min(start + self._batch_size, len(self._loader))
        batch = self._loader.get_batch(start, end)
        return self._unnamed(batch.data), self._unnamed(batch.labels)

    @staticmethod
    def _unnamed(arrays):
        """Return one array by itself; several stay named."""
        return next(iter(arrays.values())) if len(arrays) == 1 else arrays
