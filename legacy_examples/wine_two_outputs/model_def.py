"""
Two questions about a bottle of wine: of which kind is it, and is it strong?
"""
from pedl.frameworks.keras import KerasFunctionalTrial

from keras.layers import Dense, Input
from keras.metrics import binary_accuracy, categorical_accuracy
from keras.models import Model


class WineTrial(KerasFunctionalTrial):
    def __init__(self, hparams):
        self.hparams = hparams

    def build_model(self, hparams):
        features = Input(shape=(12,), name="features")
        hidden = Dense(hparams["units"], activation="relu")(features)
        kind = Dense(3, activation="softmax", name="kind")(hidden)
        strong = Dense(1, activation="sigmoid", name="strong")(hidden)
        return Model(inputs=features, outputs=[kind, strong])

    def optimizer(self):
        return "adadelta"

    def losses(self):
        return {"kind": "categorical_crossentropy", "strong": "binary_crossentropy"}

    def batch_size(self):
        return self.hparams["batch_size"]

    def training_metrics(self):
        return {"kind_accuracy": ("kind", categorical_accuracy)}

    def validation_metrics(self):
        return {
            "kind_accuracy": ("kind", categorical_accuracy),
            "strength_accuracy": ("strong", binary_accuracy),
        }
