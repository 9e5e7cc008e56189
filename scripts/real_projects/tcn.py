# keras-tcn==2.8.3
import numpy as np
from keras.layers import Dense
from keras.models import Input, Model
from keras.optimizers import Adam
from tcn import TCN

from pedl.frameworks.keras import KerasTrial
from pedl.frameworks.keras.data import InMemorySequence


def make_data_loaders(experiment_config, hparams):
    rng = np.random.RandomState(11)
    x = rng.rand(96, 24, 2).astype("float32")
    y = (x[:, :, 0] * (x[:, :, 1] > 0.8)).sum(axis=1)
    batch_size = hparams["batch_size"]
    return InMemorySequence(x[:64], y[:64], batch_size), InMemorySequence(
        x[64:], y[64:], batch_size
    )


class AddingTrial(KerasTrial):
    def __init__(self, hparams):
        self.hparams = hparams

    def build_model(self, hparams):
        i = Input(shape=(24, 2))
        o = TCN(
            nb_filters=8, kernel_size=3, dilations=[1, 2, 4], dropout_rate=0.1, use_batch_norm=True
        )(i)
        return Model(inputs=[i], outputs=[Dense(1)(o)])

    def batch_size(self):
        return self.hparams["batch_size"]

    def optimizer(self):
        return Adam(lr=self.hparams["learning_rate"], clipnorm=1.0)

    def loss(self):
        return "mse"

    def training_metrics(self):
        return {"mae": "mae"}

    def validation_metrics(self):
        return {"mae": "mae"}
