"""Defaults and orders of arguments that have changed since old Keras."""

from __future__ import annotations

from typing import Any

_OLD_LSTM = {"recurrent_activation": '"hard_sigmoid"'}
_OLD_GRU = {**_OLD_LSTM, "reset_after": "False"}

#: Defaults of layers in TensorFlow 1 and in standalone Keras, as source text.
LAYER_DEFAULTS = {"GRU": _OLD_GRU, "GRUCell": _OLD_GRU, "LSTM": _OLD_LSTM, "LSTMCell": _OLD_LSTM}

#: The same defaults by today's full name.
OLD_DEFAULTS = {f"tensorflow.keras.layers.{name}": text for name, text in LAYER_DEFAULTS.items()}

#: Optimizers whose old arguments and arithmetic are those of ``tf.keras.optimizers.legacy``.
TF_OPTIMIZERS = ("Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "RMSprop", "SGD")

#: Constructor parameters of standalone Keras 2.2.4 in order, with defaults.
OPTIMIZERS: dict[str, dict[str, Any]] = {
    "SGD": {"lr": 0.01, "momentum": 0.0, "decay": 0.0, "nesterov": False},
    "RMSprop": {"lr": 0.001, "rho": 0.9, "epsilon": None, "decay": 0.0},
    "Adagrad": {"lr": 0.01, "epsilon": None, "decay": 0.0},
    "Adadelta": {"lr": 1.0, "rho": 0.95, "epsilon": None, "decay": 0.0},
    "Adam": {
        "lr": 0.001,
        "beta_1": 0.9,
        "beta_2": 0.999,
        "epsilon": None,
        "decay": 0.0,
        "amsgrad": False,
    },
    "Adamax": {"lr": 0.002, "beta_1": 0.9, "beta_2": 0.999, "epsilon": None, "decay": 0.0},
    "Nadam": {"lr": 0.002, "beta_1": 0.9, "beta_2": 0.999, "epsilon": None, "schedule_decay": 4e-3},
}

#: Default learning rates that only standalone Keras had, as source text.
STANDALONE_RATES = {"Adadelta": "1.0", "Adagrad": "0.01", "Adamax": "0.002", "Nadam": "0.002"}

#: Convolutions whose kernel sizes are separate arguments in Keras 1, and the number of sizes.
CONVOLUTIONS = {
    "Conv2D": 2,
    "Convolution2D": 2,
    "SeparableConv2D": 2,
    "SeparableConvolution2D": 2,
    "Conv2DTranspose": 2,
    "Convolution2DTranspose": 2,
    "Conv3D": 3,
    "Convolution3D": 3,
}
