"""Data of a ``KerasTrial``: batches from a ``BatchLoader``, and its validation data adapter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pedl.data import BatchLoader
from pedl.frameworks.keras.data import KerasDataAdapter
from pedl2det_runtime.data.loaders import as_data, is_dataset


class CutBatches:
    """A sequence of batches from a ``BatchLoader``; the last batch may be smaller.

    Args:
        loader: the records.
        size: records per batch.
    """

    def __init__(self, loader: BatchLoader, size: int) -> None:
        self._loader, self._size = loader, size

    def __len__(self) -> int:
        return -(-len(self._loader) // self._size)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        first = index * self._size
        batch = self._loader.get_batch(first, min(first + self._size, len(self._loader)))
        return _unnamed(batch.data), _unnamed(batch.labels)


def _unnamed(arrays: dict[str, Any]) -> Any:
    """Return the array of a dict of one; return a larger dict unchanged."""
    return next(iter(arrays.values())) if len(arrays) == 1 else arrays


def adapter_of(loader: Any, batch_size: Callable[[], int]) -> Any:
    """Return the validation data adapter of a trial that reads its validation data itself.

    Args:
        loader: the validation data from ``make_data_loaders``.
        batch_size: returns the records per batch, for arrays.
    """
    if isinstance(loader, KerasDataAdapter):
        return loader
    if is_dataset(loader):
        return _DatasetAdapter(loader)
    return KerasDataAdapter(as_data(loader, batch_size()) if isinstance(loader, tuple) else loader)


class _DatasetAdapter:
    """A dataset with the interface of :class:`KerasDataAdapter`."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset

    def start(self, batch_offset: int = 0, is_validation: bool = False) -> None:
        """Do nothing; a dataset has no workers."""
        del batch_offset, is_validation

    def get_iterator(self) -> Iterator[Any]:
        """Return an iterator over the batches of one pass, as NumPy arrays."""
        return iter(self._dataset.as_numpy_iterator())

    def stop(self, timeout: float | None = None) -> None:
        """Do nothing; a dataset has no workers."""
        del timeout
