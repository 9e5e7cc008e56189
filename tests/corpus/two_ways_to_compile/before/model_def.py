import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = make()
        if hparams["slow"]:
            model.compile(loss="mse", optimizer=tf.keras.optimizers.SGD(lr=0.1))
        else:
            model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
