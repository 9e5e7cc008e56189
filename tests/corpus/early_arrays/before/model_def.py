import tensorflow as tf
from determined.keras import TFKerasTrial


class Net(TFKerasTrial):
    def __init__(self, context):
        self.context = context

    def build_model(self):
        model = tf.keras.Sequential([tf.keras.layers.Dense(self.context.get_hparam("units"))])
        model = self.context.wrap_model(model)
        model.compile(tf.keras.optimizers.Adam(lr=0.01), "mse")
        return model

    def build_training_data_loader(self):
        return self.x, self.y

    def build_validation_data_loader(self):
        return self.v, self.w
