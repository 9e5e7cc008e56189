import os

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers
import yaml
from pedl.frameworks.keras import TFKerasTrial
from pedl.frameworks.keras.data import InMemorySequence


def rows(n, seed):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(n, 8)).astype("float32")
    y = (x[:, :1] * 2 - x[:, 1:2] + 0.1 * rng.normal(size=(n, 1))).astype("float32")
    return x, y


with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "const.yaml")) as file:
    SIZE = yaml.safe_load(file)["hyperparameters"]["batch_size"]


def make_data_loaders(experiment_config, hparams):
    return InMemorySequence(*rows(64, 1), SIZE), InMemorySequence(*rows(32, 2), SIZE)


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([layers.Dense(8, activation="relu", input_shape=(8,)), layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"]), "mse")
        return model
