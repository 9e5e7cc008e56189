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


class Noisy(tf.keras.utils.Sequence):
    """Noise that fades with the batches that were read."""

    def __init__(self, x, y, size):
        self.x, self.y, self.size, self.read = x, y, size, 0

    def __len__(self):
        return -(-len(self.x) // self.size)

    def __getitem__(self, index):
        self.read += 1
        part = slice(index * self.size, (index + 1) * self.size)
        noise = np.random.RandomState(index).normal(size=self.x[part].shape) / (1 + self.read)
        return (self.x[part] + noise).astype("float32"), self.y[part]


def make_data_loaders(experiment_config, hparams):
    size = hparams["batch_size"]
    return Noisy(*rows(200, 1), size), InMemorySequence(*rows(64, 2), size)


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([layers.Dense(16, activation="relu", input_shape=(8,)), layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"]), "mse")
        return model
