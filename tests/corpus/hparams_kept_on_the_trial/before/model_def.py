import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def __init__(self, hparams):
        self.hparams = hparams
        self.units = hparams["units"]  # type: int

    def build_model(self, _):
        model = make(self.units, self.hparams.get("depth", 2))
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
