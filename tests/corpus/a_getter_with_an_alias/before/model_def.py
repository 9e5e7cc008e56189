import tensorflow as tf
from pedl import get_hyperparameter as hp
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(hp(name="units"))])
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
