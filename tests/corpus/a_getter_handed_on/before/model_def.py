import pedl
import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(next(map(pedl.get_hyperparameter, ["units"])))])
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
