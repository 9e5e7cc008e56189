import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial, TFKerasTrialContext
from tensorflow.keras import layers

ACTIVATIONS = {"smooth": "softplus", "hard": "relu"}


def softsign_net(width):
    return [layers.Dense(width, activation="softsign"), layers.Dense(1)]


def relu_net(width):
    return [layers.Dense(width, activation="relu"), layers.Dense(1)]


class WavesTrial(TFKerasTrial):
    """The base experiment."""

    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        self.num_features = 4
        rng = np.random.RandomState(self.context.get_trial_seed() % 100)
        self.x = rng.uniform(-1, 1, size=(70, self.num_features))
        self.y = np.sin(3 * self.x).sum(axis=1)

    def build_model(self):
        make = globals()[self.context.get_hparam("net") + "_net"]
        model = tf.keras.Sequential(make(self.context.get_hparam("width")))
        model = self.context.wrap_model(model)
        model.compile(tf.keras.optimizers.Adam(lr=0.01), "mse")
        return model

    def build_training_data_loader(self):
        return self.x[:50], self.y[:50]

    def build_validation_data_loader(self):
        return self.x[50:], self.y[50:]


class NoisyWavesTrial(TFKerasTrial):
    """The same data with noise, and a skip connection."""

    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        self.clean = WavesTrial(context)

    def build_model(self):
        inputs = tf.keras.Input((self.clean.num_features,))
        h = inputs
        for layer in globals()[self.context.get_hparam("net") + "_net"](self.context.get_hparam("width")):
            h = layer(h)
        outputs = layers.Add()([h, layers.Dense(1)(inputs)])
        model = self.context.wrap_model(tf.keras.Model(inputs, outputs))
        model.compile(tf.keras.optimizers.SGD(lr=0.02, momentum=0.9), "mse")
        return model

    def build_training_data_loader(self):
        x, y = self.clean.build_training_data_loader()
        return x + np.random.normal(scale=0.1, size=x.shape), y

    def build_validation_data_loader(self):
        return self.clean.build_validation_data_loader()
