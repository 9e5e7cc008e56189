from functools import cached_property

import tensorflow as tf
from determined.keras import TFKerasTrial, TFKerasTrialContext

from data import make_data_loaders


class Net(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        context.configure_fit(shuffle=False)

    def build_model(self):
        # type: (...) -> tf.keras.Model
        model = tf.keras.Sequential(
            [tf.keras.layers.Dense(self.context.get_hparam("units"))]
        )
        model = self.context.wrap_model(model)
        optimizer = self.context.wrap_optimizer(tf.keras.optimizers.legacy.Adam(0.01))
        model.compile(optimizer, "mse")
        return model

    @cached_property
    def data_loaders(self):
        """Training and validation data, from one call: they may share one shuffle."""
        return make_data_loaders(self.context)

    def build_training_data_loader(self):
        training, _ = self.data_loaders
        return training

    def build_validation_data_loader(self):
        _, validation = self.data_loaders
        return validation
