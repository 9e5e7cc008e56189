from collections import namedtuple

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


Table = namedtuple("Table", "values targets")


def read(n, seed):
    """Rows as a file has them: lists of numbers."""
    x, y = rows(n, seed)
    return Table(x.tolist(), y.tolist())


def make_data_loaders(experiment_config, hparams):
    train, test = read(256, 1), read(64, 2)
    size = hparams["batch_size"]
    return InMemorySequence(train.values, train.targets, size), InMemorySequence(test.values, test.targets, size)


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([layers.Dense(16, activation="relu", input_shape=(8,)), layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"]), "mse")
        return model
