import tensorflow as tf

from . import sizes


def layer(units):
    return tf.keras.layers.Dense(units, name=sizes.name(units))
