import numpy as np
from pedl.frameworks.keras import TFKerasTrial
from pedl.frameworks.keras.data import InMemorySequence, KerasDataAdapter
import tensorflow as tf
from keras.utils import to_categorical
from tensorflow.keras import layers

def rows(n, seed):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(n, 8)).astype("float32")
    y = (x[:, :1] * 2 - x[:, 1:2] + 0.1 * rng.normal(size=(n, 1))).astype("float32")
    return x, y


def make_data_loaders(experiment_config, hparams):
    def split(n, seed):
        x, y = rows(n, seed)
        return InMemorySequence(x, to_categorical(y[:, 0] > 0, 2), hparams["batch_size"])
    return split(64, 1), split(32, 2)


NETS = {}


def net(function):
    NETS[function.__name__] = function
    return function


@net
def small(hparams):
    return tf.keras.Sequential([layers.Dense(16, activation="relu", input_shape=(8,)), layers.Dense(2, activation="tanh")])


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = NETS[hparams["net"]](hparams)
        model.compile("adagrad", loss="hinge", metrics=["accuracy"])
        return model
