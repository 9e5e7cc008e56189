import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(hparams["units"])])
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model

    def session_config(self, hparams) -> tf.ConfigProto: return tf.ConfigProto(allow_soft_placement=True)
