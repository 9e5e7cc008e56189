"""``pedl.data``: the loaders of PEDL before 0.10, that are sliced by record."""

from pedl.data.loaders import ArrayBatchLoader, Batch, BatchLoader, SliceBatchLoader

__all__ = ["ArrayBatchLoader", "Batch", "BatchLoader", "SliceBatchLoader"]
