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


STATS = {}


def make_data_loaders(experiment_config, hparams):
    x, y = rows(256, 1)
    STATS["mean"], STATS["std"] = x.mean(axis=0), x.std(axis=0) + 0.5
    size = hparams["batch_size"]
    return InMemorySequence(x, y, size), InMemorySequence(*rows(64, 2), size)


class Net(TFKerasTrial):
    def build_model(self, hparams):
        mean, std = STATS.get("mean", 0.0), STATS.get("std", 1.0)
        model = tf.keras.Sequential([
            layers.Lambda(lambda x: (x - mean) / std, input_shape=(8,)),
            layers.Dense(16, activation="relu"), layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"]), "mse")
        return model
