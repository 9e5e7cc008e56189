import tensorflow as tf

import legacy_keras


class Tower:
    def __init__(self, depth):
        self.depth = depth

    def layer(self):
        return tf.keras.layers.Dense(legacy_keras.get_hyperparameter("units"))
