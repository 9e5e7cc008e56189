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
    def build_model(self, hparams):
        x, y = rows(128, 5)
        coder = tf.keras.Sequential([layers.Dense(6, activation="tanh", input_shape=(8,), name="code"), layers.Dense(8)])
        coder.compile("adam", "mse")
        coder.fit(x, x, epochs=2, batch_size=32, shuffle=False, verbose=0)
        code = coder.get_layer("code")
        code.trainable = False
        model = tf.keras.Sequential([code, layers.Dense(16, activation="relu"), layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"]), "mse")
        code.trainable = True
        return model
