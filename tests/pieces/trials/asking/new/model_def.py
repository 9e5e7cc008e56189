import functools

import legacy_keras
import settings
import tensorflow as tf
from data import download_data, make_data_loaders

from determined.keras import TFKerasTrial


class AskingTrial(TFKerasTrial):
    def __init__(self, context):
        legacy_keras.bind(context)
        legacy_keras.download_once(context, lambda: download_data(context))
        self.context = context
        self.context.configure_fit(shuffle=False)

    @functools.cached_property
    def data_loaders(self):
        return make_data_loaders(self.context)

    def build_training_data_loader(self):
        return legacy_keras.training_loader(self.context, self.data_loaders[0])

    def build_validation_data_loader(self):
        return legacy_keras.validation_loader(self.context, self.data_loaders[1])

    def build_model(self):
        with legacy_keras.Session().as_default() as session:
            rate = session.run(tf.constant([1e-2, 1e-3]))[0]
        layers = [tf.keras.layers.Dense(units, activation="tanh") for units in (settings.UNITS, 1)]
        model = legacy_keras.multi_gpu_model(tf.keras.Sequential(layers), gpus=2)
        model.compile("rmsprop", "mse", metrics=["mae"])
        scale = legacy_keras.get_hyperparameter("scale")
        tf.keras.backend.set_value(model.optimizer.lr, rate * scale)
        assert legacy_keras.ragged_array([[1], [2, 3]]).dtype == object
        return legacy_keras.trained(legacy_keras.context(), model)
