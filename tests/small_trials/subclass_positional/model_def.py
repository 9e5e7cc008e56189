import numpy as np
from pedl.frameworks.keras import TFKerasTrial
from pedl.frameworks.keras.data import InMemorySequence, KerasDataAdapter
import keras
from keras import backend as K
from keras.layers import Dense
from keras.models import Sequential

def rows(n, seed):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(n, 8)).astype("float32")
    y = (x[:, :1] * 2 - x[:, 1:2] + 0.1 * rng.normal(size=(n, 1))).astype("float32")
    return x, y


def make_data_loaders(experiment_config, hparams):
    size = hparams["batch_size"]
    return InMemorySequence(*rows(64, 1), batch_size=size), InMemorySequence(*rows(32, 2), batch_size=size)


class DecayingSGD(keras.optimizers.SGD):
    """SGD whose learning rate decays by default."""

    def __init__(self, lr=0.01, momentum=0.0, decay=0.05, **options):
        super(DecayingSGD, self).__init__(lr, momentum, decay, **options)


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = Sequential()
        model.add(Dense(16, activation="relu", input_shape=(8,)))
        model.add(Dense(1))
        model.compile(loss="mse", optimizer=DecayingSGD(hparams["lr"], momentum=0.8))
        return model
