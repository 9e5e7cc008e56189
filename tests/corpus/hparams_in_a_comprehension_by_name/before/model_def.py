import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = make([tf.keras.layers.Dense(hparams["units"]) for _ in range(hparams.get("depth", 2))])
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
