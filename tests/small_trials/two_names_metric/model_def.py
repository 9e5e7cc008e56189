import numpy as np
from pedl.frameworks.keras import TFKerasTrial
from pedl.frameworks.keras.data import InMemorySequence, KerasDataAdapter
import tensorflow as tf
from tensorflow.keras import layers

def rows(n, seed):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(n, 8)).astype("float32")
    y = (x[:, :1] * 2 - x[:, 1:2] + 0.1 * rng.normal(size=(n, 1))).astype("float32")
    return x, y


def make_data_loaders(experiment_config, hparams):
    size = hparams["batch_size"]
    return InMemorySequence(*rows(64, 1), batch_size=size), InMemorySequence(*rows(32, 2), batch_size=size)


class Net(TFKerasTrial):
    def build_model(self, hparams):
        inputs = tf.keras.Input((8,))
        hidden = layers.Dense(4)(inputs)
        model = tf.keras.Model(inputs, layers.Dense(1, name="y")(hidden))
        model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"]), "mse", metrics=["acc", "accuracy"][hparams["long"]:][:1])
        return model
