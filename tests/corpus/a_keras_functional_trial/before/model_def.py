import tensorflow as tf
from pedl.frameworks.keras import KerasFunctionalTrial
from tensorflow.keras.metrics import categorical_accuracy
from nets import digits


class Net(KerasFunctionalTrial):
    def build_model(self, hparams):
        return digits(hparams["units"])

    def optimizer(self):
        return tf.keras.optimizers.SGD(lr=0.1)

    def losses(self):
        return {"digit": "categorical_crossentropy", "kind": "binary_crossentropy"}

    def training_metrics(self):
        return {"digits": ("digit", categorical_accuracy)}

    def validation_metrics(self):
        return {"digits": ("digit", categorical_accuracy)}

    def batch_size(self):
        return 16
