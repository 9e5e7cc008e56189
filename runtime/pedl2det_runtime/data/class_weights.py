"""Weights of classes where the records have weights too, which Keras cannot multiply for Sequences.

Its code needs the shape of the weights, and nothing is known of the size of a Sequence's batches.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pedl2det_runtime.errors import CheckFailedError, InvalidExperimentException


def check(class_weight: Any) -> None:
    """Refuse what is no weight for each class.

    Raises:
        CheckFailedError: it is neither a mapping nor None.
    """
    if class_weight is not None and not isinstance(class_weight, Mapping):
        raise CheckFailedError(
            "class_weight: expected the weight of each class by its number, as {0: 1.0, 1: 2.0}, "
            f"got {class_weight!r}"
        )


def has_weights(dataset: Any) -> bool:
    """Whether the batches of a dataset have sample weights."""
    return isinstance(dataset.element_spec, tuple) and len(dataset.element_spec) == 3


def multiplied(dataset: Any, class_weight: Mapping[int, float]) -> Any:
    """A dataset of ``(x, y, weights)`` whose weights are multiplied by those of the classes.

    Raises:
        InvalidExperimentException: the targets are of several outputs, or a class has no weight.
    """
    import tensorflow as tf

    if sorted(class_weight) != list(range(len(class_weight))):
        raise InvalidExperimentException(
            f"class_weight: expected a weight for each class from 0 on, got {dict(class_weight)}"
        )
    if tf.nest.is_nested(dataset.element_spec[1]) or tf.nest.is_nested(dataset.element_spec[2]):
        raise InvalidExperimentException("class_weight: a model with several outputs has none")
    weights = tf.constant([class_weight[number] for number in sorted(class_weight)], tf.float32)

    def weighted(x: Any, y: Any, given: Any) -> Any:
        of_class = tf.cast(tf.gather(weights, _classes(y)), given.dtype)
        more = of_class.shape.rank - given.shape.rank
        if more > 0:  # a weight for each record, and targets of several steps
            given = tf.reshape(given, tf.concat([tf.shape(given), [1] * more], 0))
        elif more < 0:
            given = tf.reshape(given, tf.shape(of_class))
        return x, y, given * of_class

    return dataset.map(weighted)


def _classes(y: Any) -> Any:
    """The class of each record: by number, or one-hot."""
    import tensorflow as tf

    if y.shape.rank < 2:
        return tf.cast(tf.round(y), tf.int64)
    return tf.cond(
        tf.shape(y)[-1] > 1,
        lambda: tf.argmax(y, axis=-1),
        lambda: tf.cast(tf.round(tf.squeeze(y, axis=-1)), tf.int64),
    )
