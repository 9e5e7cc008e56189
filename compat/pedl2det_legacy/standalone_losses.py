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
