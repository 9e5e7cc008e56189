import pedl
import tensorflow as tf


def layer(units=pedl.get_hyperparameter("units")):
    return tf.keras.layers.Dense(units)
