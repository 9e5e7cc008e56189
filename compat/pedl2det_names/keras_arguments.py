"""Arguments and names of metrics that have changed since old Keras."""

from __future__ import annotations

_OLD_LSTM = {"recurrent_activation": '"hard_sigmoid"'}
_OLD_GRU = {**_OLD_LSTM, "reset_after": "False"}

#: Defaults of layers in TensorFlow 1 and in standalone Keras, as source text.
LAYER_DEFAULTS = {"GRU": _OLD_GRU, "GRUCell": _OLD_GRU, "LSTM": _OLD_LSTM, "LSTMCell": _OLD_LSTM}

#: Optimizers whose old arguments and arithmetic are those of ``tf.keras.optimizers.legacy``.
TF_OPTIMIZERS = ("Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "RMSprop", "SGD")

#: Constructor parameters of standalone Keras 2.2.4 in order.
STANDALONE_PARAMETERS = {
    "SGD": ("lr", "momentum", "decay", "nesterov"),
    "RMSprop": ("lr", "rho", "epsilon", "decay"),
    "Adagrad": ("lr", "epsilon", "decay"),
    "Adadelta": ("lr", "rho", "epsilon", "decay"),
    "Adam": ("lr", "beta_1", "beta_2", "epsilon", "decay", "amsgrad"),
    "Adamax": ("lr", "beta_1", "beta_2", "epsilon", "decay"),
    "Nadam": ("lr", "beta_1", "beta_2", "epsilon", "schedule_decay"),
}

#: Their defaults that differ today, as source text.
STANDALONE_DEFAULTS = {
    "Adadelta": {"learning_rate": "1.0"},
    "Adagrad": {"learning_rate": "0.01", "initial_accumulator_value": "0.0"},
    "Adamax": {"learning_rate": "0.002"},
    "Nadam": {"learning_rate": "0.002"},
}

#: Convolutions whose kernel sizes are separate arguments in Keras 1, and the number of sizes.
CONVOLUTIONS = {
    **dict.fromkeys(("Conv2D", "SeparableConv2D", "Conv2DTranspose"), 2),
    **dict.fromkeys(("Convolution2D", "SeparableConvolution2D", "Convolution2DTranspose"), 2),
    **dict.fromkeys(("Conv3D", "Convolution3D"), 3),
}

#: Groups of names of the same metric. TensorFlow 1 reported another name than the compiled one.
METRIC_NAMES = (
    ("acc", "accuracy"),
    ("mae", "mean_absolute_error"),
    ("mse", "mean_squared_error"),
    ("mape", "mean_absolute_percentage_error"),
    ("msle", "mean_squared_logarithmic_error"),
    ("kld", "kullback_leibler_divergence", "kl_divergence"),
)

#: Other metrics whose names end with one of these names.
OTHER_METRICS = ("binary_accuracy", "categorical_accuracy", "root_mean_squared_error")
