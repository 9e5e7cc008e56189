import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        depth = hparams["depth"] if "depth" in hparams else 2
        model = make(depth)
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
