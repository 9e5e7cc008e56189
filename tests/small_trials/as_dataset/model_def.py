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


SOURCES = {}


def source(function):
    SOURCES[function.__name__] = function
    return function


class Table:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def as_dataset(self, size):
        return InMemorySequence(self.x, self.y, size)


@source
def synthetic(count, seed):
    return Table(*rows(count, seed))


def make_data_loaders(experiment_config, hparams):
    make, size = SOURCES[hparams["source"]], hparams["batch_size"]
    return make(256, 1).as_dataset(size), make(64, 2).as_dataset(size)


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([layers.Dense(16, activation="relu", input_shape=(8,)), layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"]), "mse")
        return model
