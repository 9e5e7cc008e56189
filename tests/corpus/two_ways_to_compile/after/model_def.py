from functools import cached_property

import tensorflow as tf
from determined.keras import TFKerasTrial, TFKerasTrialContext

import legacy_keras
from data import make_data_loaders


class Net(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        context.configure_fit(shuffle=False)

    def build_model(self):
        model = make()
        if self.context.get_hparam("slow"):
            model.compile(
                loss="mse", optimizer=tf.keras.optimizers.legacy.SGD(learning_rate=0.1)
            )
        else:
            model.compile(tf.keras.optimizers.legacy.Adam(0.01), "mse")
        return legacy_keras.trained(self.context, model)

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
