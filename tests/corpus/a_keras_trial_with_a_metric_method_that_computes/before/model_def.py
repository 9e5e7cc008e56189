import tensorflow as tf
from pedl.frameworks.keras import KerasTrial
from tensorflow.keras.metrics import categorical_accuracy


class Net(KerasTrial):
    def build_model(self, hparams):
        return tf.keras.Sequential([tf.keras.layers.Dense(hparams["units"])])

    def optimizer(self):
        return tf.keras.optimizers.SGD(lr=0.1)

    def loss(self):
        return tf.keras.losses.categorical_crossentropy

    def training_metrics(self):
        return {"accuracy": categorical_accuracy}

    def validation_metrics(self):
        metrics = {}
        metrics["error"] = categorical_accuracy
        return metrics

    def batch_size(self):
        return 16
