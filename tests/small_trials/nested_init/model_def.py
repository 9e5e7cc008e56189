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
    x, y = rows(64, 1)
    vx, vy = rows(32, 2)
    return InMemorySequence(x, y, size), InMemorySequence(vx, vy, size)


class Drop(tf.keras.callbacks.Callback):
    """Lowers the rate after some epochs; never, unless told when."""

    def __init__(self, late=None):
        super().__init__()
        self.late = late

    def on_epoch_begin(self, epoch, logs=None):
        if self.late and epoch >= 15:
            tf.keras.backend.set_value(self.model.optimizer.lr, 0.001)


class Net(TFKerasTrial):
    def __init__(self, hparams):
        class Noted(Drop):
            def __init__(self):
                super().__init__()
                self.rates = [hparams["lr"]]

        self.drop = Noted()

    def build_model(self, hparams):
        model = tf.keras.Sequential([layers.Dense(8, activation="relu", input_shape=(8,)), layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"]), "mse")
        return model
    def keras_callbacks(self, hparams):
        return [self.drop]
