"""The targets that losses and metrics got before TensorFlow 2: in the type of the outputs."""

import functools

import tensorflow as tf


def with_float_targets(compute):
    """Wrap `Model.compute_loss` or `Model.compute_metrics`: integer targets become floats."""

    @functools.wraps(compute)
    def computed(model, x=None, y=None, *args, **kwargs):
        return compute(model, x, tf.nest.map_structure(_as_float, y), *args, **kwargs)

    return computed


def _as_float(target):
    kind = getattr(target, "dtype", tf.float32)
    is_whole = kind.is_integer or kind.is_bool
    return tf.cast(target, tf.keras.backend.floatx()) if is_whole else target


def give_float_targets(model):
    """Return the model, whose own losses and metrics get floats for integer targets."""
    for name in ("compute_loss", "compute_metrics"):
        compute = with_float_targets(getattr(type(model), name))
        setattr(model, name, functools.partial(compute, model))
    return model
