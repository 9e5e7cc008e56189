import tensorflow as tf
from determined.keras import TFKerasTrial, TFKerasTrialContext
from rows import Rows


class Net(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        context.configure_fit(shuffle=False)

    def build_model(self):
        model = tf.keras.Sequential([tf.keras.layers.Dense(self.context.get_hparam("units"))])
        model = self.context.wrap_model(model)
        optimizer = self.context.wrap_optimizer(
            tf.keras.optimizers.legacy.Adam(learning_rate=0.01)
        )
        model.compile(optimizer, "mse")
        return model

    def build_training_data_loader(self):
        return Rows("train", self.context.get_per_slot_batch_size())

    def build_validation_data_loader(self):
        return Rows("test", self.context.get_per_slot_batch_size())
