import tensorflow as tf
import pedl
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(self.units)])
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model

    @property
    def units(self):
        return pedl.get_hyperparameter("units")
