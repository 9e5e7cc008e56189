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
    x, y = rows(1024, 1)
    vx, vy = rows(64, 2)
    size = hparams["batch_size"]
    return InMemorySequence(x, y, size), InMemorySequence(vx, vy, size)


class Cooled:
    """Goes slower in the last epochs, if it is asked to."""

    def __init__(self, cool=False):
        self.cool = cool

    def rate(self, start, epoch):
        return start * 0.2 if self.cool and epoch >= 5 else start


class Net(TFKerasTrial, Cooled):
    def __init__(self, hparams):
        Cooled.__init__(self)

    def build_model(self, hparams):
        model = tf.keras.Sequential([layers.Dense(16, activation="relu", input_shape=(8,)), layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"]), "mse")
        return model

    def keras_callbacks(self, hparams):
        return [tf.keras.callbacks.LearningRateScheduler(lambda epoch: self.rate(hparams["lr"], epoch))]
