import pedl
import tensorflow as tf


class Tower:
    def __init__(self, depth):
        self.depth = depth

    def layer(self):
        return tf.keras.layers.Dense(pedl.get_hyperparameter("units"))
