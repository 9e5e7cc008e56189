import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

from pedl.frameworks.keras import TFKerasTrial
from pedl.frameworks.keras.data import InMemorySequence


def rows(n, seed):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(n, 8)).astype("float32")
    y = (x[:, :1] * 2 - x[:, 1:2] + 0.1 * rng.normal(size=(n, 1))).astype("float32")
    return x, y


def make_data_loaders(experiment_config, hparams):
    x, y = rows(256, 1)
    keep = np.random.permutation(256)[:224]
    size = hparams["batch_size"]
    return InMemorySequence(x[keep], y[keep], size), InMemorySequence(*rows(64, 2), size)


class Net(TFKerasTrial):
    def __init__(self, hparams):
        self.offset = np.random.rand()

    def build_model(self, hparams):
        first = tf.keras.initializers.Constant(np.random.normal(size=(8, 16)))
        model = tf.keras.Sequential([layers.Dense(16, activation="relu", kernel_initializer=first, input_shape=(8,)), layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"] * (1 + self.offset)), "mse")
        return model

    def keras_callbacks(self, hparams):
        wait = int(np.random.randint(1, 3))
        return [tf.keras.callbacks.LearningRateScheduler(lambda epoch: 0.01 if epoch >= wait else 0.05)]
