# efficientnet==0.0.4 (also: scikit-image)
import numpy as np
from efficientnet import EfficientNetB0
from keras import layers, models, optimizers

from pedl.frameworks.keras import KerasTrial
from pedl.frameworks.keras.data import InMemorySequence


def make_data_loaders(experiment_config, hparams):
    rng = np.random.RandomState(5)
    x = rng.rand(24, 32, 32, 3).astype("float32")
    y = np.eye(2)[(x.mean(axis=(1, 2, 3)) > 0.5).astype(int)]
    batch_size = hparams["batch_size"]
    return InMemorySequence(x[:16], y[:16], batch_size), InMemorySequence(
        x[16:], y[16:], batch_size
    )


class BrightTrial(KerasTrial):
    def __init__(self, hparams):
        self.hparams = hparams

    def build_model(self, hparams):
        base = EfficientNetB0(
            include_top=False, weights=None, input_shape=(32, 32, 3), pooling="avg"
        )
        return models.Model(base.input, layers.Dense(2, activation="softmax")(base.output))

    def batch_size(self):
        return self.hparams["batch_size"]

    def optimizer(self):
        return optimizers.SGD(lr=self.hparams["learning_rate"], momentum=0.9)

    def loss(self):
        return "categorical_crossentropy"

    def training_metrics(self):
        return {}

    def validation_metrics(self):
        return {"accuracy": "categorical_accuracy"}
