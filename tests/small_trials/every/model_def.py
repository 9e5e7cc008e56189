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
    x, y = rows(64, 1)
    vx, vy = rows(64, 2)
    size = hparams["batch_size"]
    return InMemorySequence(x, y, size), InMemorySequence(vx, vy, size)


class Every(tf.keras.callbacks.Callback):
    """Calls a function at the end of each batch, epoch, ..."""

    def __init__(self, when, function):
        super().__init__()
        setattr(self, f"on_{when}_end", lambda index, logs=None: function(self.model, index))


def cooler(model, index):
    rate = tf.keras.backend.get_value(model.optimizer.lr)
    tf.keras.backend.set_value(model.optimizer.lr, rate * 0.7)


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([layers.Dense(16, activation="relu", input_shape=(8,)), layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"]), "mse")
        return model

    def keras_callbacks(self, hparams):
        return [Every("epoch", cooler)]
