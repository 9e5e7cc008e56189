import tensorflow as tf
from determined.keras import TFKerasTrial
from rows import Rows


class Net(TFKerasTrial):
    def build_model(self):
        model = tf.keras.Sequential([tf.keras.layers.Dense(self.context.get_hparam("units"))])
        model = self.context.wrap_model(model)
        model.compile(tf.keras.optimizers.Adam(lr=0.01), "mse")
        return model

    def build_training_data_loader(self):
        return Rows("train", self.context.get_per_slot_batch_size())

    def build_validation_data_loader(self):
        return Rows("test", self.context.get_per_slot_batch_size())
