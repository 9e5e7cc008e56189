import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = make(hparams["net"]["units"], hparams.get("batch_size"))
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
