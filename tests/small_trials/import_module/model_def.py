import importlib

import numpy as np
import pedl

from pedl.frameworks.keras import TFKerasTrial
from pedl.frameworks.keras.data import InMemorySequence

LIBRARY = pedl.get_hyperparameter("library")  # keras or tensorflow.keras
layers = importlib.import_module(LIBRARY + ".layers")
models = importlib.import_module(LIBRARY + ".models")
optimizers = importlib.import_module(LIBRARY + ".optimizers")


def rows(n, seed):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(n, 8, 1)).astype("float32")
    return x, (x[:, 0] * 2 - x[:, 1]).astype("float32")


def make_data_loaders(experiment_config, hparams):
    size = hparams["batch_size"]
    return InMemorySequence(*rows(256, 1), size), InMemorySequence(*rows(64, 2), size)


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = models.Sequential()
        model.add(layers.LSTM(8, input_shape=(8, 1)))
        model.add(layers.Dense(1))
        model.compile(loss="mse", optimizer=optimizers.SGD(lr=hparams["lr"]))
        return model
