"""Loaders that give any range of records (spec/legacy_pedl.md, 1.2).

A batch names its inputs and labels: one unnamed input is ``input``, one unnamed label ``label``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from pedl2det_runtime.errors import CheckFailedError

Arrays = npt.NDArray[Any] | dict[str, npt.NDArray[Any]]


class Batch:
    """Some records.

    Args:
        data: the inputs: an array of shape (records, ...), or arrays by the names of the inputs.
        labels: the targets, likewise.
    """

    def __init__(self, data: Arrays, labels: Arrays) -> None:
        self.data = data if isinstance(data, dict) else {"input": np.asarray(data)}
        self.labels = labels if isinstance(labels, dict) else {"label": np.asarray(labels)}

    def __len__(self) -> int:
        return len(next(iter(self.data.values())))


class BatchLoader(ABC):
    """Gives any range of the records of a data set."""

    @abstractmethod
    def __len__(self) -> int:
        """Records in the data set."""

    @abstractmethod
    def get_batch(self, start: int, end: int) -> Batch:
        """The records from ``start`` up to and without ``end``."""


class ArrayBatchLoader(BatchLoader):
    """Records in memory.

    Args:
        data: the inputs, shape (records, ...), or arrays by name.
        labels: the targets, likewise.

    Raises:
        CheckFailedError: there are more records of one than of the other.
    """

    def __init__(self, data: Arrays, labels: Arrays) -> None:
        self._all = Batch(data, labels)
        arrays = [*self._all.data.values(), *self._all.labels.values()]
        if len({len(array) for array in arrays}) > 1:
            raise CheckFailedError("Length of input data and input labels do not match.")

    def __len__(self) -> int:
        return len(self._all)

    def get_batch(self, start: int, end: int) -> Batch:
        """The records from ``start`` up to and without ``end``."""
        return Batch(
            {name: array[start:end] for name, array in self._all.data.items()},
            {name: array[start:end] for name, array in self._all.labels.items()},
        )


class SliceBatchLoader(BatchLoader):
    """A range of the records of another loader.

    Args:
        loader: the other loader.
        start: its first record that belongs to this one.
        end: its first record after these.
    """

    def __init__(self, loader: BatchLoader, start: int, end: int) -> None:
        self._loader, self._start, self._end = loader, start, min(end, len(loader))

    def __len__(self) -> int:
        return self._end - self._start

    def get_batch(self, start: int, end: int) -> Batch:
        """The records of this range from ``start`` up to and without ``end``."""
        return self._loader.get_batch(self._start + start, min(self._start + end, self._end))
