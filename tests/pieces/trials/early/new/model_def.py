import legacy_keras
import numpy as np
import tensorflow as tf

from determined.keras import TFKerasTrial

RECORDS = 46


class EarlyTrial(TFKerasTrial):
    def __init__(self, context):
        legacy_keras.bind(context)
        self.context = context
        self.context.configure_fit(shuffle=False)

    def rows(self):
        rows = np.random.RandomState(5).rand(RECORDS, 4).astype("float32")
        return {"left": rows[:, :2], "right": rows[:, 2:3]}, rows[:, 3:]

    def build_training_data_loader(self):
        size = self.context.get_per_slot_batch_size()
        return legacy_keras.whole_batches(self.rows(), batch_size=size)

    def build_validation_data_loader(self):
        x, y = self.rows()
        dataset = tf.data.Dataset.from_tensor_slices((x, y))
        return legacy_keras.wrap_dataset(dataset).batch(8)

    def build_model(self):
        inputs = [tf.keras.Input((2,), name="left"), tf.keras.Input((1,), name="right")]
        joined = tf.keras.layers.concatenate(inputs)
        model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(joined))
        model = self.context.wrap_model(model)
        model.compile(tf.keras.optimizers.legacy.SGD(0.1), "mse")
        return model
