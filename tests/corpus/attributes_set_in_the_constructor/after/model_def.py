from functools import cached_property

import tensorflow as tf
from determined.keras import TFKerasTrial, TFKerasTrialContext

from data import make_data_loaders


class Net(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext):
        self.context = context
        context.configure_fit(shuffle=False)
        super().__init__(context)
        self.units = context.get_hparam("units")  # type: int
        self.rate = float(context.get_hparams().get("rate", 1e-3))  # the usual one

    def build_model(self):
        model = make(self.units)
        model = self.context.wrap_model(model)
        optimizer = self.context.wrap_optimizer(
            tf.keras.optimizers.legacy.Adam(self.rate)
        )
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
