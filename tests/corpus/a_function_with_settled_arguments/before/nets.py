import functools

import pedl
import tensorflow as tf


def layer(scale):
    return tf.keras.layers.Dense(scale * pedl.get_hyperparameter("units"))


wide = functools.partial(layer, 2)
