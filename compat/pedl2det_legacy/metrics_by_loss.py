"""What `accuracy` and `crossentropy` meant before TensorFlow 2: the metric that fits the loss."""

import functools
import inspect

import tensorflow as tf


def with_metrics_of_losses(compile_model):
    """Wrap `Model.compile` to choose the function of `"accuracy"` by the loss, not by shapes.

    The shapes of targets are unknown where a `Sequence` gives them, and several labels for one
    example are no class.
    """
    signature = inspect.signature(compile_model)

    @functools.wraps(compile_model)
    def compile(self, *args, **kwargs):
        for name in ("options", "run_metadata"):  # of sessions, which change no result
            kwargs.pop(name, None)
        bound = signature.bind(self, *args, **kwargs)
        for name in ("metrics", "weighted_metrics"):
            given, loss = bound.arguments.get(name), bound.arguments.get("loss")
            bound.arguments[name] = metrics_of_losses(given, loss, self)
        return compile_model(*bound.args, **bound.kwargs)

    return compile


def metrics_of_losses(metrics, loss, model):
    """Return the metrics for `compile`, with functions for names that mean those of the loss.

    Standalone Keras left out those of outputs that a model does not have.
    """
    outputs = getattr(model, "output_names", None)
    if isinstance(metrics, dict) and outputs:
        metrics = {name: metrics[name] for name in metrics if name in outputs}
    if not metrics or not isinstance(loss, (dict, list, tuple)):
        return _by_loss(metrics, loss_kind(loss))
    names = getattr(model, "output_names", None) or []
    losses = loss if isinstance(loss, dict) else dict(zip(names, loss))
    kinds = {name: loss_kind(losses.get(name)) for name in names}
    if not any(kinds.values()):
        return metrics
    given = by_outputs(metrics, names)
    return {name: _by_loss(value, kinds.get(name)) for name, value in given.items()}


def by_outputs(metrics, names):
    """Return the metrics of `compile` by the names of the outputs, of which they are."""
    if isinstance(metrics, dict):
        return metrics
    is_each = isinstance(metrics, (list, tuple)) and metrics
    if is_each and isinstance(metrics[0], (list, tuple)):
        return dict(zip(names, metrics))
    return {name: metrics for name in names}


def loss_kind(loss):
    """Return the part of the names of Keras' functions for a loss of labels, or None."""
    if isinstance(loss, str):
        loss = getattr(tf.keras.losses, loss, None)
    kinds = {
        "binary": (
            tf.keras.losses.binary_crossentropy,
            tf.keras.losses.BinaryCrossentropy,
        ),
        "sparse_categorical": (
            tf.keras.losses.sparse_categorical_crossentropy,
            tf.keras.losses.SparseCategoricalCrossentropy,
        ),
    }
    for kind, (function, of_class) in kinds.items():
        if loss in (function, of_class) or isinstance(loss, of_class):
            return kind
    return None


def _by_loss(metrics, kind):
    """Return a metric, or those of a list or dict, by the kind of its loss."""
    if isinstance(metrics, dict):
        return {name: _by_loss(value, kind) for name, value in metrics.items()}
    if isinstance(metrics, (list, tuple)):
        return [_by_loss(value, kind) for value in metrics]
    words = {"acc": "accuracy", "ce": "crossentropy"}
    word = words.get(metrics, metrics) if isinstance(metrics, str) else None
    if kind is None or word not in words.values():
        return metrics
    return metric_of_loss(word, kind, metrics)


def metric_of_loss(word, kind, name=None):
    """Return the accuracy or crossentropy that fits a kind of loss."""

    def metric(y_true, y_pred):
        of_shape = "binary" if y_pred.shape[-1] == 1 else kind
        return getattr(tf.keras.metrics, f"{of_shape}_{word}")(y_true, y_pred)

    metric.__name__ = name or word
    return metric
