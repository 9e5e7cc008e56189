"""Losses of standalone Keras 2.2.4 that differ today."""

import tensorflow as tf


def hinge(y_true, y_pred):
    """`keras.losses.hinge` of Keras 2.2.4, which took labels of 0 and 1 as they are."""
    margin = 1.0 - tf.cast(y_true, y_pred.dtype) * y_pred
    return tf.keras.backend.mean(tf.maximum(margin, 0.0), axis=-1)


def squared_hinge(y_true, y_pred):
    """`keras.losses.squared_hinge` of Keras 2.2.4, which took labels of 0 and 1 as they are."""
    margin = 1.0 - tf.cast(y_true, y_pred.dtype) * y_pred
    return tf.keras.backend.mean(tf.square(tf.maximum(margin, 0.0)), axis=-1)


def cosine_proximity(y_true, y_pred):
    """`keras.losses.cosine_proximity` of Keras 2.2.4: -1 is the best, also as a metric."""
    y_true = tf.math.l2_normalize(tf.cast(y_true, y_pred.dtype), axis=-1)
    y_pred = tf.math.l2_normalize(y_pred, axis=-1)
    return -tf.keras.backend.sum(y_true * y_pred, axis=-1)


#: The losses of Keras 2.2.4 that differ today, by their names.
STANDALONE_LOSSES = {
    "hinge": hinge,
    "squared_hinge": squared_hinge,
    "cosine_proximity": cosine_proximity,
    "cosine": cosine_proximity,
}


def standalone_losses(identifiers):
    """Replace names of losses or metrics by the functions of Keras 2.2.4 that differ today.

    They may be in a list, tuple or dict.
    """
    if isinstance(identifiers, dict):
        return {name: standalone_losses(value) for name, value in identifiers.items()}
    if isinstance(identifiers, (list, tuple)):
        return type(identifiers)(standalone_losses(value) for value in identifiers)
    if isinstance(identifiers, str):
        return STANDALONE_LOSSES.get(identifiers, identifiers)
    return identifiers
