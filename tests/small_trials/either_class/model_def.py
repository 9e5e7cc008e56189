import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

import pedl
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


if pedl.get_hyperparameter("deep"):

    class Net(TFKerasTrial):
        def build_model(self, hparams):
            model = tf.keras.Sequential([layers.Dense(16, activation="relu", input_shape=(8,)), layers.Dense(16, activation="relu"), layers.Dense(1)])
            model.compile(tf.keras.optimizers.Adam(lr=hparams["lr"] / 10), "mse")
            return model

else:

    class Net(TFKerasTrial):
        def build_model(self, hparams):
            model = tf.keras.Sequential([layers.Dense(1, input_shape=(8,))])
            model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"]), "mse")
            return model
