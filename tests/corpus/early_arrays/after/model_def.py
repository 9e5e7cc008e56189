import tensorflow as tf
from determined.keras import TFKerasTrial

import legacy_keras


class Net(TFKerasTrial):
    def __init__(self, context):
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
        return legacy_keras.whole_batches(
            (self.x, self.y), batch_size=self.context.get_per_slot_batch_size()
        )

    def build_validation_data_loader(self):
        return self.v, self.w
