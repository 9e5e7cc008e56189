import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        print(f"{hparams}", "{units}".format(**hparams))
        model = make()
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model
