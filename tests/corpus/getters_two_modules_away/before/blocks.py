import pedl
import tensorflow as tf


def block():
    return tf.keras.layers.Dense(pedl.get_hyperparameter('units'))
