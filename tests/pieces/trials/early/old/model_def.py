import numpy as np
import tensorflow as tf

from determined.keras import TFKerasTrial

RECORDS = 46


class EarlyTrial(TFKerasTrial):
    def __init__(self, context):
        self.context = context

    def rows(self):
        rows = np.random.RandomState(5).rand(RECORDS, 4).astype("float32")
        return {"left": rows[:, :2], "right": rows[:, 2:3]}, rows[:, 3:]

    def build_training_data_loader(self):
        return self.rows()

    def build_validation_data_loader(self):
        x, y = self.rows()
        dataset = tf.data.Dataset.from_tensor_slices((x, y))
        return self.context.wrap_dataset(dataset).batch(8)

    def build_model(self):
        inputs = [tf.keras.Input((2,), name="left"), tf.keras.Input((1,), name="right")]
        joined = tf.keras.layers.concatenate(inputs)
        model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(joined))
        model = self.context.wrap_model(model)
        model.compile(tf.keras.optimizers.legacy.SGD(0.1), "mse")
        return model
