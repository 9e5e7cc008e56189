import keras
import numpy as np
from keras import backend as K
from keras.layers import Dense
from keras.models import Sequential
from pedl.frameworks.keras import KerasTrial
from pedl.frameworks.keras.data import InMemorySequence


class Rule(object):
    """a rate by the epoch, written as a text"""

    def __init__(self, text):
        self.text = text

    def compile(self, text, base):
        code = compile(text, "<rule>", "eval")
        return lambda epoch: eval(code, {"base": base, "epoch": epoch})


class Rates(keras.callbacks.Callback):
    def __init__(self, base, texts):
        super(Rates, self).__init__()
        self.base, self.rules = base, []
        for text in texts:
            self.rules.append(Rule(text))

    def on_epoch_begin(self, epoch, logs=None):
        for rule in self.rules:
            K.set_value(self.model.optimizer.lr, rule.compile(rule.text, self.base)(epoch))


class Net(KerasTrial):
    def build_model(self, hparams):
        model = Sequential()
        model.add(Dense(hparams["units"], activation="relu", input_dim=5))
        model.add(Dense(1, activation="sigmoid"))
        return model

    def optimizer(self):
        return keras.optimizers.SGD(lr=0.5)

    def loss(self):
        return "binary_crossentropy"

    def keras_callbacks(self, hparams):
        return [Rates(0.5, ["base / (1 + 0.1 * epoch)"])]

    def batch_size(self):
        return 8

    def validation_metrics(self):
        return {"err": keras.metrics.mean_squared_error}


def make_data_loaders(experiment_config, hparams):
    rng = np.random.RandomState(3)
    x = rng.normal(size=(64, 5)).astype("float32")
    y = (x[:, :1] * x[:, 1:2] > 0).astype("float32")
    size = hparams["batch_size"]
    return InMemorySequence(x[:48], y[:48], size), InMemorySequence(x[48:], y[48:], size)
