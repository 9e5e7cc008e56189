import numpy as np
import tensorflow as tf
from tensorflow.keras import layers
import functools

from pedl.frameworks.keras import TFKerasTrial
from pedl.frameworks.keras.data import InMemorySequence


def rows(n, seed):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(n, 8)).astype("float32")
    y = (x[:, :1] * 2 - x[:, 1:2] + 0.1 * rng.normal(size=(n, 1))).astype("float32")
    return x, y


@functools.lru_cache(maxsize=None)
def tables(seed):
    return rows(256, seed)


def once(function):
    kept = []

    @functools.wraps(function)
    def wrapper(*args):
        if not kept:
            kept.append(function(*args))
        return kept[0]

    return wrapper


@once
def make_data_loaders(experiment_config, hparams):
    size = hparams["batch_size"]
    return InMemorySequence(*tables(1), size), InMemorySequence(*rows(64, 2), size)


class Net(TFKerasTrial):
    def build_model(self, hparams):
        train, _ = make_data_loaders(None, hparams)
        scale = float(np.abs(train[0][0]).mean())
        model = tf.keras.Sequential([layers.Lambda(lambda x: x / scale, input_shape=(8,)), layers.Dense(16, activation="relu"), layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"]), "mse")
        return model
