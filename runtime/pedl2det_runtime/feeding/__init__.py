"""How batches reach the model: workers make them, in order, and tf.data hands them over."""

from pedl2det_runtime.feeding.feed import (
    Feed,
    batches_in_pass,
    is_endless,
    training_feed,
    validation_feed,
)
from pedl2det_runtime.feeding.workers import BatchFeed, Workers

__all__ = [
    "BatchFeed",
    "Feed",
    "Workers",
    "batches_in_pass",
    "is_endless",
    "training_feed",
    "validation_feed",
]
