import tensorflow as tf
from determined.keras import TFKerasTrial, TFKerasTrialContext


class Base(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext):
        self.context = context
        context.configure_fit(shuffle=False)
        self.units = context.get_hparam("units")

    def build_model(self):
        model = self.net()
        model = self.context.wrap_model(model)
        optimizer = self.context.wrap_optimizer(tf.keras.optimizers.legacy.Adam(0.01))
        model.compile(optimizer, "mse")
        return model
