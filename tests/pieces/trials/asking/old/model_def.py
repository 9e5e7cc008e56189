import numpy as np
import settings
import tensorflow as tf

import pedl
from pedl.frameworks.keras import TFKerasTrial


class AskingTrial(TFKerasTrial):
    def build_model(self, hparams):
        with tf.Session().as_default() as session:
            rate = session.run(tf.constant([1e-2, 1e-3]))[0]
        layers = [tf.keras.layers.Dense(units, activation="tanh") for units in (settings.UNITS, 1)]
        model = tf.keras.utils.multi_gpu_model(tf.keras.Sequential(layers), gpus=2)
        model.compile("rmsprop", "mse", metrics=["mae"])
        tf.keras.backend.set_value(model.optimizer.lr, rate * pedl.get_hyperparameter("scale"))
        assert np.array([[1], [2, 3]]).dtype == object
        return model
