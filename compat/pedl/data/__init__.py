"""``pedl.data``: the record loaders of PEDL before 0.10."""

from pedl2det_legacy.record_loaders import ArrayBatchLoader, Batch, BatchLoader, SliceBatchLoader
from pedl2det_runtime import refusals

__all__ = ["ArrayBatchLoader", "Batch", "BatchLoader", "SliceBatchLoader"]

refusals.complete(__name__)
