# The net of the corpus.
from functools import cached_property

import tensorflow as tf  # TensorFlow 1.14

# What PEDL gives us:
from determined.keras import TFKerasTrial, TFKerasTrialContext
from determined.keras.callbacks import TensorBoard

from data import make_data_loaders


# ---


# Not tuned.
class Net(  # a net
    TFKerasTrial
):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        context.configure_fit(shuffle=False)

    # Above the first method.

    def build_model(  # called once
        self
    ):
        # Above the model.
        model = tf.keras.Sequential(  # in a call
            [
                tf.keras.layers.Dense(self.context.get_hparam("units")),  # the only layer
                # an empty place
            ]
        )  # after it
        # Above compile.
        model = self.context.wrap_model(model)
        optimizer = self.context.wrap_optimizer(tf.keras.optimizers.legacy.Adam(0.01))
        model.compile(
            # Adam is enough.
            optimizer,  # slowly
            "mse",
        )  # after compile
        return model  # the model

    # Above the callbacks.
    def keras_callbacks(self):  # one
        return [TensorBoard()]  # the board

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

    # At the end of the class.
# At the end of the file.
