import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = self.stack(hparams)
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model

    def stack(self, hparams):
        return tf.keras.Sequential([tf.keras.layers.Dense(hparams["units"])])
