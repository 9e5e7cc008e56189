import tensorflow as tf
from nets import stack
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = stack(depth=2)
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
