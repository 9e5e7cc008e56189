import tensorflow as tf
from config import UNITS


def layer(units=UNITS):
    return tf.keras.layers.Dense(units)
