"""Classes and functions of `tf.contrib` in TensorFlow 1.14."""

import numbers

import tensorflow as tf


class HParams:
    """Hyperparameters as attributes that keep their types, as in `tf.contrib.training`."""

    def __init__(self, **hparams):
        self._types = {}
        for name, value in hparams.items():
            self.add_hparam(name, value)

    def add_hparam(self, name, value):
        """Add a hyperparameter; a list or tuple has values of one type."""
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        is_list = isinstance(value, (list, tuple))
        self._types[name] = (type(value[0] if is_list else value), is_list)
        setattr(self, name, value)

    def set_hparam(self, name, value):
        """Change a hyperparameter; a value of another type is a ValueError."""
        kind, is_list = self._types[name]
        if isinstance(value, list) != is_list:
            raise ValueError(f"{name} is {'' if is_list else 'not '}a list")
        if is_list:
            value = [_of_type(kind, each) for each in value]
        else:
            value = _of_type(kind, value)
        setattr(self, name, value)

    def override_from_dict(self, values_dict):
        """Change several hyperparameters."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def values(self):
        """Return the hyperparameters by name."""
        return {name: getattr(self, name) for name in self._types}

    def get(self, key, default=None):
        """Return a hyperparameter, or the default."""
        return self.values().get(key, default)

    def __contains__(self, key):
        return key in self._types


def _of_type(kind, value):
    """Return a value as another type that holds it without a loss."""
    if type(value) is kind or kind is type(None):
        return value
    kinds = (str, bytes), numbers.Integral, numbers.Number
    if (
        kind is bool
        or isinstance(value, bool)
        or any(issubclass(kind, each) and not isinstance(value, each) for each in kinds)
    ):
        raise ValueError(f"expected a value of type {kind.__name__}, got {value!r}")
    return kind(value)


def l1_regularizer(scale, scope=None):
    """Return a penalty of `scale` times the sum of the absolute weights."""
    return tf.keras.regularizers.l1(scale)


def l2_regularizer(scale, scope=None):
    """Return a penalty of `scale` times half of the sum of the squared weights."""
    return tf.keras.regularizers.l2(0.5 * scale)


def variance_scaling_initializer(
    factor=2.0, mode="FAN_IN", uniform=False, seed=None, dtype=tf.float32
):
    """Return an initializer of variance `factor / fan`; a normal one is cut at two deviations."""
    if uniform:
        kind = "uniform"
    else:  # Keras corrects the cut by 1 / 0.8796 ** 2 = 1.29, `tf.contrib` by 1.3
        kind, factor = "truncated_normal", 1.3 * 0.87962566103423978**2 * factor
    return tf.keras.initializers.VarianceScaling(factor, mode.lower(), kind, seed=seed)


def xavier_initializer(uniform=True, seed=None, dtype=tf.float32):
    """Return the initializer of Glorot and Bengio."""
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed)


#: The initializer of Glorot and Bengio, by its name for convolutions.
xavier_initializer_conv2d = xavier_initializer
