import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        if (rate := hparams.get("dropout")) is not None:
            print(rate)
        model = make(rate)
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
