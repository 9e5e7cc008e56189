"""What ``build_model`` compiled: names of metrics, optimizers with their settings, loss."""

from __future__ import annotations

import inspect
import re
from typing import Any

from pedl2det_runtime.backends import graph_mode, keras_versions

#: Methods that choose the metrics of ``model.evaluate``; a model may override them.
_CHOOSING = ("compute_metrics", "evaluate", "make_test_function", "metrics", "test_step")
_KERAS = ("keras", "tf_keras")
#: Names of metrics whose function depends on the shapes of the model's outputs.
_BY_SHAPE = ("acc", "accuracy", "ce", "crossentropy")
_IGNORED = {"name", "jit_compile"}  # Keras chooses jit_compile by the devices


def metric_names(model: Any) -> set[str] | None:
    """Return every name that ``model.evaluate`` may report; None if they cannot be known yet.

    They are known for functional and built sequential models of Keras' own layers. Other models
    and layers may add metrics when they are called.
    """
    import tensorflow as tf

    if graph_mode.is_chosen() or not _reports_known_metrics(model):
        return None
    outputs = [f"{name}_" for name in model.output_names]
    prefixes = outputs if len(outputs) > 1 else [""]
    container = model.compiled_metrics
    compiled = [container._user_metrics, container._user_weighted_metrics]
    metrics = [metric for metric in tf.nest.flatten(compiled) if metric is not None]
    names = [_name(metric) for metric in metrics]
    if None in names:
        return None
    # Keras prefixes the names of other metrics with the name of the output.
    base = tf.keras.metrics.Metric
    own = {metric.name for metric in model.metrics}
    own |= {
        metric.name
        for metric in metrics
        if isinstance(metric, base) and type(metric).name is not base.name
    }
    return own | {"loss"} | {f"{prefix}{name}" for prefix in prefixes for name in (*names, "loss")}


def unknown_metrics(model: Any) -> list[str]:
    """Return the metrics of a compiled model that Keras does not know by name.

    Keras would raise "'str' object is not callable" in the first batch.
    """
    import tensorflow as tf

    container = getattr(model, "compiled_metrics", None)  # graph mode has none
    metrics = tf.nest.flatten(getattr(container, "_user_metrics", None))
    return [name for name in metrics if isinstance(name, str) and _name(name) is None]


def _reports_known_metrics(model: Any) -> bool:
    import tensorflow as tf

    layers = [type(layer).__module__ for layer in model._flatten_layers(include_self=False)]
    return (
        bool(model._is_graph_network)
        and all(module.partition(".")[0] in _KERAS for module in layers)
        and all(getattr(type(model), name) is getattr(tf.keras.Model, name) for name in _CHOOSING)
        and not any(name in vars(model) for name in _CHOOSING)
    )


def _name(metric: Any) -> str | None:
    """Return the name that Keras gives a metric of ``compile``; None if unknown."""
    import tensorflow as tf

    if not isinstance(metric, str):
        return getattr(metric, "name", None) or getattr(metric, "__name__", None)
    if metric.lower() in _BY_SHAPE:
        return metric
    known = getattr(tf.keras.metrics, metric, None)
    if inspect.isclass(known):
        default = inspect.signature(known).parameters["name"].default
        return default or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", metric).lower()
    try:
        resolved = tf.keras.metrics.get(metric)
    except (TypeError, ValueError):
        return None
    return None if isinstance(resolved, str) else getattr(resolved, "name", metric)


def describe_compiled(model: Any) -> dict[str, Any]:
    """Describe a compiled model that has not trained yet.

    Returns:
        JSON values: ``loss``, ``optimizer``, and ``optimizer_1`` and so on for further ones. An
        optimizer has its ``class`` beside its settings.
    """
    optimizers = keras_versions.named_optimizers(model)
    return {"loss": _as_json(_loss(getattr(model, "loss", None)))} | {
        name: _describe_optimizer(optimizer) for name, optimizer in optimizers.items()
    }


def _describe_optimizer(optimizer: Any) -> dict[str, Any]:
    name = type(optimizer).__name__
    if inner := getattr(optimizer, "inner_optimizer", None):  # of a LossScaleOptimizer
        name = f"{name} of {type(inner).__name__}"
    settings = _config(inner or optimizer)
    return {"class": name} | {key: value for key, value in settings.items() if key not in _IGNORED}


def _config(configurable: Any) -> dict[str, Any]:
    try:
        return {key: _as_json(value) for key, value in configurable.get_config().items()}
    except Exception:  # the user's own class: it may raise anything
        return {}


def _loss(loss: Any) -> Any:
    """Return a loss, with the name of Keras' function in place of its other names."""
    import tensorflow as tf

    if isinstance(loss, dict):
        return {str(name): _loss(part) for name, part in loss.items()}
    if isinstance(loss, list | tuple):
        return [_loss(part) for part in loss]
    if not isinstance(loss, str):
        return loss
    try:
        return tf.keras.losses.get(loss)
    except ValueError:
        return loss


def _as_json(value: Any) -> Any:
    """Convert to JSON values; replace other objects by names, the same in every process."""
    if isinstance(value, dict):
        return {str(key): _as_json(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(child) for child in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "item") and getattr(value, "size", 0) == 1:
        return value.item()  # of NumPy
    if hasattr(value, "get_config"):
        return {"class": type(value).__name__} | _config(value)
    return getattr(value, "__name__", type(value).__name__)
