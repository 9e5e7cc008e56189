import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


def cached_property(function):
    return function


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(hparams["units"])])
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
