import numpy as np
from pedl.frameworks.keras import TFKerasTrial
from pedl.frameworks.keras.data import InMemorySequence, KerasDataAdapter
from keras.layers import Dense
from keras.models import Sequential
from keras.optimizers import SGD

LOSS = "hinge"

def rows(n, seed):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(n, 8)).astype("float32")
    y = (x[:, :1] * 2 - x[:, 1:2] + 0.1 * rng.normal(size=(n, 1))).astype("float32")
    return x, y


def make_data_loaders(experiment_config, hparams):
    def split(n, seed):
        x, y = rows(n, seed)
        y = (y > 0).astype("float32")
        if LOSS in ("hinge", "squared_hinge"):
            y = 2 * y - 1
        return InMemorySequence(x, y, hparams["batch_size"])
    return split(64, 1), split(32, 2)


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = Sequential()
        model.add(Dense(16, activation="relu", input_shape=(8,)))
        model.add(Dense(1, activation="tanh"))
        model.compile(loss=LOSS, optimizer=SGD(lr=hparams["lr"]))
        return model
