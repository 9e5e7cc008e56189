# keras-adabound==0.6.0 (also: typeguard)
import numpy as np
from keras_adabound import AdaBound
from tensorflow.keras.layers import Dense
from tensorflow.keras.models import Sequential

from pedl.frameworks.keras import TFKerasTrial
from pedl.frameworks.keras.data import InMemorySequence


def make_data_loaders(experiment_config, hparams):
    rng = np.random.RandomState(19)
    x = rng.randn(96, 6)
    y = x.dot(rng.randn(6, 1))
    batch_size = hparams["batch_size"]
    return InMemorySequence(x[:64], y[:64], batch_size), InMemorySequence(
        x[64:], y[64:], batch_size
    )


class LineTrial(TFKerasTrial):
    def build_model(self, hparams):
        model = Sequential([Dense(8, activation="tanh", input_shape=(6,)), Dense(1)])
        optimizer = AdaBound(lr=hparams["learning_rate"], final_lr=0.1, weight_decay=1e-4)
        model.compile(optimizer, "mse")
        return model
