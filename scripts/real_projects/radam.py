# keras-radam==0.15.0
import numpy as np
from keras.layers import Dense
from keras.models import Sequential
from keras_radam import RAdam

from pedl.frameworks.keras import KerasTrial
from pedl.frameworks.keras.data import InMemorySequence


def make_data_loaders(experiment_config, hparams):
    rng = np.random.RandomState(19)
    x = rng.randn(96, 6)
    y = x.dot(rng.randn(6, 1))
    batch_size = hparams["batch_size"]
    return InMemorySequence(x[:64], y[:64], batch_size), InMemorySequence(
        x[64:], y[64:], batch_size
    )


class LineTrial(KerasTrial):
    def __init__(self, hparams):
        self.hparams = hparams

    def build_model(self, hparams):
        return Sequential([Dense(8, activation="tanh", input_shape=(6,)), Dense(1)])

    def batch_size(self):
        return self.hparams["batch_size"]

    def optimizer(self):
        return RAdam(
            self.hparams["learning_rate"],
            total_steps=100,
            warmup_proportion=0.1,
            min_lr=1e-5,
            weight_decay=1e-4,
        )

    def loss(self):
        return "mse"

    def training_metrics(self):
        return {}

    def validation_metrics(self):
        return {"mae": "mae"}
