"""The net."""

from __future__ import absolute_import, division, print_function

import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    """A net."""

    kind = "dense"

    def build_model(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(hparams["units"])])
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
