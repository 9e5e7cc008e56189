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


class Net(TFKerasTrial):
    def build_model(self, hparams):
        options = dict(learning_rate=hparams["lr"])
        kind = getattr(tf.train, hparams["kind"] + "Optimizer")
        model = tf.keras.Sequential([layers.Dense(16, activation="relu", input_shape=(8,)), layers.Dense(1)])
        model.compile(kind(**options), "mse")
        return model
