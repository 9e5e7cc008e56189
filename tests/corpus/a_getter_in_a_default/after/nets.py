import tensorflow as tf

import legacy_keras


def layer(units=legacy_keras.get_hyperparameter("units")):
    return tf.keras.layers.Dense(units)
