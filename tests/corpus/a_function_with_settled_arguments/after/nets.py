import functools

import tensorflow as tf

import legacy_keras


def layer(scale):
    return tf.keras.layers.Dense(scale * legacy_keras.get_hyperparameter("units"))


wide = functools.partial(layer, 2)
