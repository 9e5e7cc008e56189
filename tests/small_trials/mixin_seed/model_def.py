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
    vx, vy = rows(64, 2)
    size = hparams["batch_size"]
    return InMemorySequence(x, y, size), InMemorySequence(vx, vy, size)


class Named:
    """Has a name and layers that are called after it."""

    def __init__(self, name):
        self.prefix = name

    def dense(self, units, **options):
        return layers.Dense(units, name=self.prefix + "_%d" % units, **options)


class Net(Named, TFKerasTrial):
    def __init__(self, hparams):
        TFKerasTrial.__init__(self, hparams)
        Named.__init__(self, "net")

    def build_model(self, hparams):
        model = tf.keras.Sequential([self.dense(8, activation="relu", input_shape=(8,)), self.dense(1)])
        model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"]), "mse")
        return model
