import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        with tf.device("/cpu:0"):
            model = make()
            model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
