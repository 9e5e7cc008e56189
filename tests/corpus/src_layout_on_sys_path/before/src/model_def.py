import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial

from data import make_data_loaders
from layers import body


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = body(hparams["units"])
        model.compile("sgd", "mse")
        return model
