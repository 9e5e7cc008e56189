"""
Baselines for the breast cancer table. Every architecture of ZOO is built and compiled, so that the log of each
trial shows the parameter counts side by side (asked for by J.), but only the one named in the config is trained.
"""
import json
import logging
from collections import OrderedDict

import numpy as np
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras import layers

from pedl.frameworks.keras import TFKerasTrial

from zoo_data import NUM_FEATURES

log = logging.getLogger(__name__)


def logistic(hp):
    return keras.Sequential([
        layers.Dense(1, activation="sigmoid", input_shape=(NUM_FEATURES,)),
    ], name="logistic")


def mlp(hp):
    model = keras.Sequential(name="mlp")
    model.add(layers.Dense(hp["units"], activation="relu", input_shape=(NUM_FEATURES,)))
    for _ in range(hp["depth"] - 1):
        model.add(layers.Dropout(hp["dropout"]))
        model.add(layers.Dense(hp["units"], activation="relu"))
    model.add(layers.Dense(1, activation="sigmoid"))
    return model


def residual(hp):
    inputs = keras.Input(shape=(NUM_FEATURES,))
    x = layers.Dense(hp["units"])(inputs)
    for i in range(hp["depth"]):
        y = layers.Activation("relu")(x)
        y = layers.Dense(hp["units"], name="block%d_a" % i)(y)
        y = layers.Activation("relu")(y)
        y = layers.Dropout(hp["dropout"])(y)
        y = layers.Dense(hp["units"], name="block%d_b" % i, kernel_initializer="zeros")(y)
        x = layers.add([x, y])
    outputs = layers.Dense(1, activation="sigmoid")(x)
    return keras.Model(inputs, outputs, name="residual")


ZOO = OrderedDict([(f.__name__, f) for f in (logistic, mlp, residual)])


def make_optimizer(name, **kwargs):
    """Any optimizer of Keras by its name; "sgd_nesterov" is ours."""
    if name == "sgd_nesterov":
        return keras.optimizers.SGD(nesterov=True, momentum=0.9, **kwargs)
    return getattr(keras.optimizers, name)(**kwargs)


def recall(y_true, y_pred):
    hit = K.sum(K.round(K.clip(y_true * y_pred, 0, 1)))
    return hit / (K.sum(K.round(K.clip(y_true, 0, 1))) + K.epsilon())


def precision(y_true, y_pred):
    hit = K.sum(K.round(K.clip(y_true * y_pred, 0, 1)))
    return hit / (K.sum(K.round(K.clip(y_pred, 0, 1))) + K.epsilon())


def f1(y_true, y_pred):
    p, r = precision(y_true, y_pred), recall(y_true, y_pred)
    return 2 * p * r / (p + r + K.epsilon())


class ZooTrial(TFKerasTrial):
    def __init__(self, hparams):
        super().__init__(hparams)
        log.info("hyperparameters: %s", json.dumps(hparams, sort_keys=True))
        # everything that begins with opt_ goes to the optimizer
        self.opt_args = {k[len("opt_"):]: v for k, v in hparams.items() if k.startswith("opt_")}

    def build_model(self, hparams):
        models = OrderedDict()
        for name, build in ZOO.items():
            model = build(hparams)
            model.compile(
                loss="binary_crossentropy",
                optimizer=make_optimizer(hparams["optimizer"], **self.opt_args),
                metrics=["accuracy", recall, precision, f1],
            )
            models[name] = model

        width = max(len(name) for name in models)
        for name, model in models.items():
            log.info("%s %8d parameters%s", name.ljust(width), model.count_params(),
                     "  <-" if name == hparams["arch"] else "")
        return models[hparams["arch"]]

    def keras_callbacks(self, hparams):
        return [keras.callbacks.TerminateOnNaN()]
