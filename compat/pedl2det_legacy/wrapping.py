"""What is wrapped: datasets, and names of optimizers."""

import tensorflow as tf

from pedl2det_legacy.bound_context import context


def wrap_dataset(dataset):
    """Give each process its share of a tf.data.Dataset, or of each in a dict or tuple."""
    return tf.nest.map_structure(
        lambda part: (
            context().wrap_dataset(part) if isinstance(part, tf.data.Dataset) else part
        ),
        dataset,
    )


def optimizer(identifier):
    """Return what `compile(optimizer=identifier)` meant before Keras 2.11."""
    return tf.keras.optimizers.get(identifier, use_legacy_optimizer=True)
