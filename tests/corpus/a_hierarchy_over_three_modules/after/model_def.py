from functools import cached_property

import tensorflow as tf

from data import make_data_loaders
from nets import Deep


class Net(Deep):
    def net(self):
        return tf.keras.Sequential([tf.keras.layers.Dense(self.units) for _ in range(self.depth)])

    @cached_property
    def data_loaders(self):
        """Training and validation data, from one call: they may share one shuffle."""
        return make_data_loaders(self.context)

    def build_training_data_loader(self):
        training, _ = self.data_loaders
        return training

    def build_validation_data_loader(self):
        _, validation = self.data_loaders
        return validation
