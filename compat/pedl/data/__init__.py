"""``pedl.data``: the record loaders of PEDL before 0.10."""

from pedl.data.loaders import ArrayBatchLoader, Batch, BatchLoader, SliceBatchLoader

__all__ = ["ArrayBatchLoader", "Batch", "BatchLoader", "SliceBatchLoader"]
