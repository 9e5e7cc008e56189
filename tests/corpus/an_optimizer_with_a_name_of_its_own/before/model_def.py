import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(hparams["units"])])
        optimizer = tf.keras.optimizers.SGD(lr=0.1)
        model.compile(optimizer=optimizer, loss="mse")
        return model
