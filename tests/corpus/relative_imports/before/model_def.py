import tensorflow as tf

from .nets import layer  # noqa: TID252
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([layer(hparams["units"])])
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
