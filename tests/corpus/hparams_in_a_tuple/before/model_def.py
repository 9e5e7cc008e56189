import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        units, size = hparams["units"], hparams["batch_size"]
        model = make(units, size)
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
