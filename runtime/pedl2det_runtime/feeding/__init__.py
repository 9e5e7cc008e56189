"""How batches reach the model: workers make them, in order, and tf.data hands them over."""

from pedl2det_runtime.feeding.tensors import as_dataset, build, standardized
from pedl2det_runtime.feeding.workers import BatchFeed, Workers

__all__ = ["BatchFeed", "Workers", "as_dataset", "build", "standardized"]
