"""Eager execution or graphs of TensorFlow 1: what differs between the two, in one place.

A trial chooses graphs with ``tf.compat.v1.disable_eager_execution()`` or
``tf.compat.v1.disable_v2_behavior()`` at the top of its code (seed 002). Keras then trains with
its first engine, in a session.
"""

from __future__ import annotations

from typing import Any

from pedl2det_runtime.errors import InvalidExperimentException


def is_chosen() -> bool:
    """Whether the trial has chosen graphs."""
    import tensorflow as tf

    return not tf.executing_eagerly()


def value(variable: Any) -> Any:
    """What a variable or tensor holds, as a NumPy array or number."""
    import tensorflow as tf

    return tf.keras.backend.get_value(variable)


def assign(variable: Any, new: Any) -> None:
    """Give a variable another value."""
    import tensorflow as tf

    tf.keras.backend.set_value(variable, new)


def readable(dataset: Any, class_weight: dict[int, float] | None = None) -> Any:
    """The dataset as graphs can read it; in eager mode the dataset itself.

    What Keras does to arrays and its first engine does not do to datasets is done here: inputs and
    targets of one number a record become columns, and the weights of the classes are multiplied
    into the sample weights.

    Raises:
        InvalidExperimentException: there are class weights, and the targets are of several outputs.
    """
    if not is_chosen():
        return dataset

    def prepare(x: Any, y: Any = None, *weights: Any) -> Any:
        x, y = _as_columns(x), _as_columns(y)
        if class_weight:
            weights = (_weights_of_classes(y, class_weight, *weights),)
        return x if y is None else (x, y, *weights)

    return dataset.map(prepare)


def _as_columns(part: Any) -> Any:
    import tensorflow as tf

    return tf.nest.map_structure(
        lambda tensor: tf.expand_dims(tensor, -1) if tensor.shape.rank == 1 else tensor, part
    )


def _weights_of_classes(y: Any, class_weight: dict[int, float], *given: Any) -> Any:
    import tensorflow as tf

    if tf.nest.is_nested(y):
        raise InvalidExperimentException("class_weight: a model with several outputs has none")
    weights = [class_weight.get(number, 1.0) for number in range(max(class_weight) + 1)]
    is_one_hot = y.shape.rank == 2 and y.shape[1] != 1
    classes = tf.argmax(y, axis=1) if is_one_hot else tf.cast(tf.reshape(y, [-1]), tf.int64)
    of_class = tf.gather(tf.constant(weights, tf.float32), classes)
    return of_class * tf.cast(given[0], tf.float32) if given else of_class


def evaluate(model: Any, dataset: Any, steps: int | None, callback: Any) -> dict[str, Any]:
    """``model.evaluate``, with the metrics by name."""
    fixed = {"steps": steps, "verbose": 0, "callbacks": [callback]}
    if not is_chosen():
        logs: dict[str, Any] = model.evaluate(dataset, return_dict=True, **fixed)
        return logs
    values = model.evaluate(dataset, **fixed)
    return dict(
        zip(model.metrics_names, values if isinstance(values, list) else [values], strict=True)
    )


def metrics_of(logs: dict[str, Any]) -> dict[str, Any]:
    """The metrics among what Keras tells a callback; the first engine counts batches there too."""
    return {name: value for name, value in logs.items() if name not in ("batch", "size")}
