"""Loaders that return any range of records (docs/semantics.md, Names of ``pedl``)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from pedl2det_runtime import refusals
from pedl2det_runtime.errors import CheckFailedError

Arrays = npt.NDArray[Any] | dict[str, npt.NDArray[Any]]


class Batch:
    """A range of records.

    Args:
        data: the inputs: an array of shape (records, ...), or a dict of such arrays by input name.
            A single array is named ``input``.
        labels: the targets, in the same form. A single array is named ``label``.

    Attributes:
        data: the inputs by name.
        labels: the targets by name.
    """

    def __init__(self, data: Arrays, labels: Arrays) -> None:
        self.data = data if isinstance(data, dict) else {"input": np.asarray(data)}
        self.labels = labels if isinstance(labels, dict) else {"label": np.asarray(labels)}

    def __len__(self) -> int:
        return len(next(iter(self.data.values())))


class BatchLoader(ABC):
    """Base class of loaders that return any range of records of a data set."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of records in the data set."""

    @abstractmethod
    def get_batch(self, start: int, end: int) -> Batch:
        """Return the records ``start`` to ``end - 1``."""


class ArrayBatchLoader(BatchLoader):
    """A loader of records in memory.

    Args:
        data: the inputs: an array of shape (records, ...), or a dict of such arrays by name.
        labels: the targets, in the same form.

    Raises:
        CheckFailedError: the numbers of records differ.
    """

    def __init__(self, data: Arrays, labels: Arrays) -> None:
        self._all = Batch(data, labels)
        arrays = [*self._all.data.values(), *self._all.labels.values()]
        if len({len(array) for array in arrays}) > 1:
            raise CheckFailedError("Length of input data and input labels do not match.")

    def __len__(self) -> int:
        return len(self._all)

    def get_batch(self, start: int, end: int) -> Batch:
        """Return the records ``start`` to ``end - 1``."""
        return Batch(
            {name: array[start:end] for name, array in self._all.data.items()},
            {name: array[start:end] for name, array in self._all.labels.items()},
        )


class SliceBatchLoader(BatchLoader):
    """A loader of a range of the records of another loader.

    Args:
        loader: the other loader.
        start: index of the first record.
        end: index after the last record.
    """

    def __init__(self, loader: BatchLoader, start: int, end: int) -> None:
        self._loader, self._start, self._end = loader, start, min(end, len(loader))

    def __len__(self) -> int:
        return self._end - self._start

    def get_batch(self, start: int, end: int) -> Batch:
        """Return the records ``start`` to ``end - 1`` of this range."""
        return self._loader.get_batch(self._start + start, min(self._start + end, self._end))


refusals.complete(__name__)
