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
    def build_1_dense(self, x):
        return layers.Dense(16, activation="relu")(x)

    def build_2_norm(self, x):
        return layers.Dense(8, activation="tanh")(x)

    def build_model(self, hparams):
        inputs = x = layers.Input((8,))
        for name in sorted(dir(self)):
            if name.startswith("build_") and name != "build_model":
                x = getattr(self, name)(x)
        model = tf.keras.Model(inputs, layers.Dense(1)(x))
        model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"]), "mse")
        return model
