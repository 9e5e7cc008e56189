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
    size = hparams["batch_size"]
    return InMemorySequence(*rows(256, 1), size), InMemorySequence(*rows(64, 2), size)


class Net(TFKerasTrial):
    def __init__(self, hparams):
        self.data_loaders = {"scale": 2.0}
        self.context = "radar"

    def build_training_data(self):
        return self.data_loaders["scale"]

    def build_model(self, hparams):
        context, callbacks, legacy_keras = self.context, [], len(self.context)
        model = tf.keras.Sequential([layers.Dense(legacy_keras * 3, activation="relu", input_shape=(8,)), layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"] / self.build_training_data()), "mse")
        return model
