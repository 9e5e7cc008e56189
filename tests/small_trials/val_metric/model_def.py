import keras
import numpy as np
from keras import backend as K
from keras.layers import Dense, Input
from keras.models import Model, Sequential
from keras.optimizers import SGD, Adam
from pedl.frameworks.keras import KerasFunctionalTrial, KerasTrial
from pedl.frameworks.keras.data import InMemorySequence, KerasDataAdapter
from pedl.data import ArrayBatchLoader

def rows(n, seed):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(n, 8)).astype("float32")
    y = (x[:, :1] * 2 - x[:, 1:2] + 0.1 * rng.normal(size=(n, 1))).astype("float32")
    return x, y


def make_data_loaders(experiment_config, hparams):
    size = hparams["batch_size"]
    return InMemorySequence(*rows(64, 1), batch_size=size), InMemorySequence(*rows(32, 2), batch_size=size)


class Net(KerasTrial):
    def __init__(self, hparams):
        self.hparams = hparams

    def build_model(self, hparams):
        model = Sequential()
        model.add(Dense(16, activation="relu", input_shape=(8,)))
        model.add(Dense(1))
        return model

    def optimizer(self):
        kind = getattr(keras.optimizers, self.hparams["optimizer"])
        return kind(lr=self.hparams["lr"], **self.hparams.get("options", {}))

    def training_metrics(self):
        return {"error": keras.losses.mean_absolute_error}

    def validation_metrics(self):
        metrics = dict(self.training_metrics())
        for name in self.hparams["metrics"]:
            metrics["val_" + name] = name
        return metrics

    def loss(self):
        return getattr(keras.losses, self.hparams["loss"])

    def batch_size(self):
        return 16
