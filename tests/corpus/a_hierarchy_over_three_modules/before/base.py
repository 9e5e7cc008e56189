import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Base(TFKerasTrial):
    def __init__(self, hparams):
        self.units = hparams["units"]

    def build_model(self, hparams):
        model = self.net()
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
