"""Multiply class weights into the sample weights of a dataset.

Keras cannot combine the two for Sequences: it needs static shapes, and the batch size of a Sequence
is unknown. In graph mode it ignores class weights for datasets.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pedl2det_runtime.errors import CheckFailedError, InvalidExperimentException


def check(class_weight: Any) -> None:
    """Check that ``class_weight`` is a mapping or None.

    Raises:
        CheckFailedError: it is neither.
    """
    if class_weight is not None and not isinstance(class_weight, Mapping):
        raise CheckFailedError(
            "class_weight: expected a weight for each class index, such as {0: 1.0, 1: 2.0}, "
            f"got {class_weight!r}"
        )


def has_weights(dataset: Any) -> bool:
    """Return whether the batches of a dataset have sample weights."""
    return isinstance(dataset.element_spec, tuple) and len(dataset.element_spec) == 3


def apply(dataset: Any, class_weight: Mapping[int, float]) -> Any:
    """Multiply the sample weights of a dataset, 1 if it has none, by class weights.

    Args:
        dataset: batches ``(x, y)`` or ``(x, y, weights)``; ``y`` has class indices or is one-hot.
        class_weight: the weight of each class, by class index from 0.

    Raises:
        InvalidExperimentException: the model has several outputs, or a class has no weight.
    """
    import tensorflow as tf

    if sorted(class_weight) != list(range(len(class_weight))):
        raise InvalidExperimentException(
            f"class_weight: expected a weight for each class from 0 on, got {dict(class_weight)}"
        )
    if any(tf.nest.is_nested(part) for part in dataset.element_spec[1:]):
        raise InvalidExperimentException(
            "class_weight is not supported for a model with several outputs: use sample weights"
        )
    weights = tf.constant([class_weight[number] for number in sorted(class_weight)], tf.float32)

    def weighted(x: Any, y: Any, sample_weights: Any = None) -> Any:
        of_class = tf.gather(weights, _classes(y))
        if sample_weights is None:
            return x, y, of_class
        of_class = tf.cast(of_class, sample_weights.dtype)
        missing = of_class.shape.rank - sample_weights.shape.rank
        if missing > 0:  # one weight per record, and targets with a time dimension
            shape = tf.concat([tf.shape(sample_weights), [1] * missing], 0)
            sample_weights = tf.reshape(sample_weights, shape)
        elif missing < 0:
            sample_weights = tf.reshape(sample_weights, tf.shape(of_class))
        return x, y, sample_weights * of_class

    return dataset.map(weighted)


def _classes(y: Any) -> Any:
    """Return the class index of each record, from indices or one-hot targets, as int64."""
    import tensorflow as tf

    if y.shape.rank < 2:
        return tf.cast(tf.round(y), tf.int64)
    return tf.cond(
        tf.shape(y)[-1] > 1,
        lambda: tf.argmax(y, axis=-1),
        lambda: tf.cast(tf.round(tf.squeeze(y, axis=-1)), tf.int64),
    )
