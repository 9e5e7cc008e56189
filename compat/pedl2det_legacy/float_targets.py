"""The targets that losses and metrics got before TensorFlow 2: in the type of the outputs."""

import functools
import warnings

import tensorflow as tf


def with_float_targets(compute):
    """Wrap `Model.compute_loss` or `Model.compute_metrics`: integer targets become floats.

    Targets and weights of outputs that the model does not have are left out.
    """

    @functools.wraps(compute)
    def computed(model, x=None, y=None, y_pred=None, sample_weight=None):
        y, weights = _of_outputs(model, y), _of_outputs(model, sample_weight)
        return compute(model, x, tf.nest.map_structure(_as_float, y), y_pred, weights)

    return computed


def _of_outputs(model, values):
    names = getattr(model, "output_names", None) or values
    more = {*values} - {*names} if isinstance(values, dict) else ()
    if not more:
        return values
    shown = ", ".join(map(str, more))
    warnings.warn(f"no output {shown}: its targets are ignored", stacklevel=2)
    return {name: values[name] for name in names if name in values}


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
