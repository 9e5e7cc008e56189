"""What both sides record of a model and of its optimizer. Python 3.7 and later."""

import random

import numpy as np

#: The arguments of random layers, and of the cells of recurrent ones, that are set to 0.
_RATES = {
    "AlphaDropout": ("rate",),
    "Dropout": ("rate",),  # SpatialDropout derives from it
    "GRUCell": ("dropout", "recurrent_dropout"),
    "GaussianDropout": ("rate",),
    "GaussianNoise": ("stddev",),
    "LSTMCell": ("dropout", "recurrent_dropout"),
    "SimpleRNNCell": ("dropout", "recurrent_dropout"),
}


def drop_nothing(layers):
    """Make the layers of a Keras deterministic: every rate of dropout and noise becomes 0."""
    for name, rates in _RATES.items():
        kind = getattr(layers, name)
        kind.__init__ = _without(kind.__init__, rates)


def set_precision(package, floatx):
    """Make a Keras compute in ``floatx``.

    Its fused batch normalization and its ranks of predictions (top-k metrics) take float32 only.
    """
    package.backend.set_floatx(floatx)
    if floatx != "float32":
        kind = package.layers.BatchNormalization
        kind.__init__ = _without(kind.__init__, ("fused",))
        _rank_in_float32()


def _rank_in_float32():
    import tensorflow as tf
    from tensorflow.python.ops import gen_nn_ops

    original = gen_nn_ops.in_top_kv2

    def in_top_k(predictions, targets, k, name=None):
        return original(tf.cast(predictions, "float32"), targets, k, name)

    gen_nn_ops.in_top_kv2 = in_top_k


def _without(original, rates):
    def init(self, *args, **kwargs):
        original(self, *args, **kwargs)
        for rate in rates:
            setattr(self, rate, 0.0)

    return init


def seed_host(seed):
    """Seed ``random`` and NumPy's global generator."""
    random.seed(seed)
    np.random.seed(seed % 2**32)


def names_of(model):
    """Return the names of a model's layers and weights, in the order of the layers."""
    layers = list(_layers(model))
    leaves = [layer for layer in layers if not hasattr(layer, "layers")]
    return {
        "layers": [layer.name for layer in layers],
        "weights": [weight.name for layer in leaves for weight in layer.weights],
    }


def _layers(model):
    for layer in model.layers:
        yield layer
        if hasattr(layer, "layers"):
            yield from _layers(layer)


def learning_rate(model, value):
    """Return the learning rate of the next batch, after the optimizer's decay.

    Args:
        model: a compiled model.
        value: returns the value of a variable, as ``keras.backend.get_value`` does.
    """
    optimizer = model.optimizer
    inner = getattr(optimizer, "optimizer", optimizer)  # Keras wraps those of tf.train
    if hasattr(inner, "_decayed_lr"):  # OptimizerV2
        return float(value(inner._decayed_lr("float32")))
    schedule = getattr(inner, "_learning_rate", None)  # since Keras 2.11
    if callable(schedule):
        return float(value(schedule(inner.iterations)))
    rate = getattr(inner, "lr", None)
    if rate is None:
        return float(inner._lr)
    decay = float(value(inner.decay)) if hasattr(inner, "decay") else 0.0
    return float(value(rate)) / (1.0 + decay * int(value(inner.iterations)))
