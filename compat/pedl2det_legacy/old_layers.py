"""Recurrent layers with the defaults of TensorFlow 1 and Keras 2.2."""

import tensorflow as tf


class LSTM(tf.keras.layers.LSTM):
    """`LSTM` with the default activation of TensorFlow 1 and Keras 2.2."""

    def __init__(self, units, *args, **kwargs):
        super().__init__(units, *args, **_old_defaults(args, kwargs))


class LSTMCell(tf.keras.layers.LSTMCell):
    """`LSTMCell` with the default activation of TensorFlow 1 and Keras 2.2."""

    def __init__(self, units, *args, **kwargs):
        super().__init__(units, *args, **_old_defaults(args, kwargs))


class GRU(tf.keras.layers.GRU):
    """`GRU` with the defaults of TensorFlow 1 and Keras 2.2."""

    def __init__(self, units, *args, **kwargs):
        super().__init__(units, *args, **_old_defaults(args, kwargs, reset_after=False))


class GRUCell(tf.keras.layers.GRUCell):
    """`GRUCell` with the defaults of TensorFlow 1 and Keras 2.2."""

    def __init__(self, units, *args, **kwargs):
        super().__init__(units, *args, **_old_defaults(args, kwargs, reset_after=False))


def _old_defaults(args, kwargs, **defaults):
    """Return the keyword arguments with the old defaults of those that are not passed."""
    if len(args) < 2:
        defaults["recurrent_activation"] = "hard_sigmoid"
    return {**defaults, **kwargs}


def layer_class(name):
    """Return the class of layers that `tf.keras.layers` had under a name, with its defaults."""
    others = {"GRU": GRU, "GRUCell": GRUCell, "LSTM": LSTM, "LSTMCell": LSTMCell}
    return others.get(name) or getattr(tf.keras.layers, name)
