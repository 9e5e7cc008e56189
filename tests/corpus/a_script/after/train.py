import tensorflow as tf
from determined.keras import TFKerasTrial, TFKerasTrialContext

from rows import Rows


def net(context, units):
    model = tf.keras.Sequential([tf.keras.layers.Dense(units)])
    model = context.wrap_model(model)
    optimizer = context.wrap_optimizer(tf.keras.optimizers.legacy.Adam(0.01))
    model.compile(optimizer, "mse")
    return model


class TrainTrial(TFKerasTrial):
    """Trains the model of this script, on the data that it gave to fit."""

    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        train, test = Rows("train"), Rows("test")
        model = net(context, context.get_hparam("units"))
        # Fit it.
        self.model = model
        self.training_data = train
        self.validation_data = test
        self.context.configure_fit(shuffle=False, workers=2)

    def build_model(self):
        return self.model

    def build_training_data_loader(self):
        return self.training_data

    def build_validation_data_loader(self):
        return self.validation_data
