from __future__ import annotations

from typing import TYPE_CHECKING

import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial

if TYPE_CHECKING:
    from typing import Dict


class Net(TFKerasTrial):
    def build_model(self, hparams: Dict):
        model = tf.keras.Sequential([tf.keras.layers.Dense(hparams["units"])])
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
