"""The data of a ``KerasTrial``: records cut into batches, and its validation data for itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pedl.data import BatchLoader
from pedl.frameworks.keras.data import KerasDataAdapter
from pedl2det_runtime.data.loaders import as_data, is_dataset


class CutBatches:
    """Batches cut from a loader of records; the last one may be smaller."""

    def __init__(self, loader: BatchLoader, size: int) -> None:
        self._loader, self._size = loader, size

    def __len__(self) -> int:
        return -(-len(self._loader) // self._size)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        first = index * self._size
        batch = self._loader.get_batch(first, min(first + self._size, len(self._loader)))
        return _unnamed(batch.data), _unnamed(batch.labels)


def _unnamed(arrays: dict[str, Any]) -> Any:
    """One array by itself; several stay named."""
    return next(iter(arrays.values())) if len(arrays) == 1 else arrays


def adapter_of(loader: Any, batch_size: Callable[[], int]) -> Any:
    """The validation data for a trial that reads them itself.

    Args:
        loader: what its function returned.
        batch_size: records in a batch that is cut from arrays.
    """
    if isinstance(loader, KerasDataAdapter):
        return loader
    if is_dataset(loader):
        return _DatasetAdapter(loader)
    return KerasDataAdapter(as_data(loader, batch_size()) if isinstance(loader, tuple) else loader)


class _DatasetAdapter:
    """A dataset, read as a :class:`KerasDataAdapter` is."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset

    def start(self, batch_offset: int = 0, is_validation: bool = False) -> None:
        """Nothing to be done for one pass."""
        del batch_offset, is_validation

    def get_iterator(self) -> Iterator[Any]:
        """The batches of one pass."""
        return iter(self._dataset.as_numpy_iterator())

    def stop(self, timeout: float | None = None) -> None:
        """Nothing runs."""
        del timeout
