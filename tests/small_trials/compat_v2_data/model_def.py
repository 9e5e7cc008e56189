import numpy as np
import tensorflow as tf
from tensorflow.python.data.ops.dataset_ops import Dataset
from tensorflow.keras import layers

from pedl.frameworks.keras import TFKerasTrial


def rows(n, seed):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(n, 8)).astype("float32")
    y = (x[:, :1] * 2 - x[:, 1:2] + 0.1 * rng.normal(size=(n, 1))).astype("float32")
    return x, y


def make_data_loaders(experiment_config, hparams):
    size = hparams["batch_size"]
    train = Dataset.from_tensor_slices(rows(256, 1)).batch(size)
    test = Dataset.from_tensor_slices(rows(64, 2)).batch(size)
    return train.repeat(), test


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([layers.Dense(16, activation="relu", input_shape=(8,)), layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"]), "mse")
        return model
