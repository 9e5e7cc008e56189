import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def __init__(self, hparams):
        super().__init__(hparams)
        self.units = hparams["units"]  # type: int
        self.rate = float(hparams.get("rate", 1e-3))  # the usual one

    def build_model(self, hparams):
        model = make(self.units)
        model.compile(tf.keras.optimizers.Adam(self.rate), "mse")
        return model
