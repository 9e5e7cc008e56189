from typing import NamedTuple

import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial, TFKerasTrialContext


class Rows(NamedTuple):
    x: np.ndarray
    y: np.ndarray


def rows(n, seed):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(n, 8)).astype("float32")
    return Rows(x, (x[:, :1] * 2 - x[:, 1:2]).astype("float32"))


class Net(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext):
        self.context = context

    def build_model(self):
        model = tf.keras.Sequential([tf.keras.layers.Dense(8, input_shape=(8,)), tf.keras.layers.Dense(1)])
        model = self.context.wrap_model(model)
        model.compile(tf.keras.optimizers.SGD(lr=self.context.get_hparam("lr")), "mse")
        return model

    def build_training_data_loader(self):
        return rows(320 * 16 + 4, 1)

    def build_validation_data_loader(self):
        return rows(64, 2)
