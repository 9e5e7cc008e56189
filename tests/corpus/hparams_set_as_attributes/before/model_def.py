import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def __init__(self, hparams):
        for name, value in hparams.items():
            setattr(self, name, value)

    def build_model(self, hparams):
        model = make(getattr(self, "units"))
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
