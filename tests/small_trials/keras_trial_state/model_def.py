import numpy as np
from keras.layers import Dense
from keras.models import Sequential
from keras.optimizers import SGD

from pedl.frameworks.keras import KerasTrial
from pedl.frameworks.keras.data import KerasDataAdapter, InMemorySequence


def make_data_loaders(experiment_config, hparams):
    rng = np.random.RandomState(1)
    x = rng.normal(size=(320, 8)).astype("float32")
    y = (x[:, 0] > x[:, 1]).astype("int32")
    size = 2 * hparams["batch_size"]
    return (KerasDataAdapter(InMemorySequence(x[:256], y[:256], size)),
            KerasDataAdapter(InMemorySequence(x[256:], y[256:], size)))


class Net(KerasTrial):
    def __init__(self, hparams):
        self.rate = hparams["lr"]
        self.width = 4

    def build_model(self, hparams):
        self.rate /= self.width
        model = Sequential()
        model.add(Dense(self.width * 4, activation="relu", input_shape=(8,)))
        model.add(Dense(1, activation="sigmoid"))
        return model

    def optimizer(self):
        return SGD(self.rate, 0.9, 0.0, True)

    def loss(self):
        return "hinge" if self.width > 8 else "binary_crossentropy"

    def batch_size(self):
        return 32

    def training_metrics(self):
        return {"error": self.error}

    def validation_metrics(self):
        return {"error": self.error, "acc": "accuracy"}

    @staticmethod
    def error(true, pred):
        from keras import backend as K

        return 1.0 - K.mean(K.equal(true, K.round(pred)))
