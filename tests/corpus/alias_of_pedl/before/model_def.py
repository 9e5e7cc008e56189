import tensorflow as tf
import pedl as p
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(p.get_hyperparameter("units"))])
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
