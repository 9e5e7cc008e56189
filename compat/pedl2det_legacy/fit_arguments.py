"""What `fit` and `fit_generator` of Keras 2.2.4 made of their arguments."""

import inspect
import math

import numpy as np
import tensorflow as tf

#: Arguments of Keras 1, which Keras 2.2.4 took as well, and their names today.
KERAS_1_ARGUMENTS = {
    "samples_per_epoch": "steps_per_epoch",
    "nb_epoch": "epochs",
    "nb_val_samples": "validation_steps",
    "nb_worker": "workers",
    "pickle_safe": "use_multiprocessing",
    "max_q_size": "max_queue_size",
}


def bind_fit(fit, model, *args, **kwargs):
    """Bind the arguments of a call of `fit` or `fit_generator`, also by their names of Keras 1."""
    today = {KERAS_1_ARGUMENTS.get(name, name): kwargs[name] for name in kwargs}
    bound = inspect.signature(fit).bind(model, *args, **today)
    if not isinstance(bound.arguments.get("class_weight"), dict):
        # Keras 2.2.4 ignored any other, such as "auto".
        bound.arguments.pop("class_weight", None)
    if "samples_per_epoch" in kwargs:
        _, data, *_ = bound.arguments.values()
        bound.arguments["steps_per_epoch"] //= getattr(data, "batch_size", 1)
    return bound


def are_arrays(data):
    """Tell whether data are an array, or several in a list, tuple or dict."""
    return all(hasattr(part, "__array__") for part in tf.nest.flatten(data))


def split_arrays(arrays, validation_split):
    """Split arrays as `fit(validation_split=...)` did: the last records are for validation."""
    given = tuple(part for part in arrays if part is not None)
    arrays = tf.nest.map_structure(np.asarray, given)
    first = math.floor(len(tf.nest.flatten(arrays)[0]) * (1.0 - validation_split))
    return (
        tf.nest.map_structure(lambda array: array[:first], arrays),
        tf.nest.map_structure(lambda array: array[first:], arrays),
    )


def give_validation_data(model, callbacks, arrays):
    """Set `validation_data` of callbacks: the inputs, the targets and the weights of each target.

    They end with a learning phase, if the model has one.
    """
    for callback in callbacks:
        callback.validation_data = _validation_data(model, *arrays)


def _validation_data(model, x, y=None, weights=None):
    inputs = _in_order(x, getattr(model, "input_names", None))
    names = getattr(model, "output_names", None)
    targets = _in_order(y, names)
    given = _in_order(weights, names) or [None] * len(targets)
    arrays = map(np.asarray, inputs + targets)
    data = [array[:, None] if array.ndim == 1 else array for array in arrays]
    data += [
        np.ones(len(target), tf.keras.backend.floatx()) if part is None else part
        for target, part in zip(targets, given)
    ]
    return data + [0.0] if any(map(_has_phase, model.submodules)) else data


def _in_order(part, names):
    if isinstance(part, dict):
        return [part.get(name) for name in names or part]
    if isinstance(part, (list, tuple)):
        return list(part)
    return [] if part is None else [part]


def _has_phase(layer):
    names = ("rate", "stddev", "dropout", "recurrent_dropout")
    rates = (getattr(layer, name, 0) for name in names)
    is_noisy = any(isinstance(rate, float) and rate for rate in rates)
    return is_noisy or isinstance(layer, tf.keras.layers.BatchNormalization)
