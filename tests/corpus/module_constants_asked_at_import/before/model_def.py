import tensorflow as tf
from config import SEED, UNITS
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        tf.random.set_seed(SEED)
        model = tf.keras.Sequential([tf.keras.layers.Dense(UNITS)])
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
