import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        sizes = {name: hparams[name] for name in ("units", "depth")}
        model = make([hparams["units"] for _ in range(2)], **sizes)
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
