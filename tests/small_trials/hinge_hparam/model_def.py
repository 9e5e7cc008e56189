import numpy as np
from keras.layers import Dense
from keras.models import Sequential

from pedl.frameworks.keras import TFKerasTrial
from pedl.frameworks.keras.data import InMemorySequence


def rows(n, seed):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(n, 8)).astype("float32")
    return x, (x[:, :1] > x[:, 1:2]).astype("float32")


def make_data_loaders(experiment_config, hparams):
    size = hparams["batch_size"]
    return InMemorySequence(*rows(256, 1), size), InMemorySequence(*rows(64, 2), size)


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = Sequential()
        model.add(Dense(16, activation="relu", input_shape=(8,)))
        model.add(Dense(1))
        model.compile(loss=hparams["loss"], optimizer=hparams["optimizer"])
        return model
