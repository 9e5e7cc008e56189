import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = make(name=f"net-{hparams['units']:03d}")
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
