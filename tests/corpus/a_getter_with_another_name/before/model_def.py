import pedl
import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial

ask = pedl.get_hyperparameter


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(ask("units"))])
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
