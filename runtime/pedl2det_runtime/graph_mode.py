"""Eager execution or graphs of TensorFlow 1: what differs between the two, in one place.

A trial chooses graphs with ``tf.compat.v1.disable_eager_execution()`` or
``tf.compat.v1.disable_v2_behavior()`` at the top of its code (seed 002). Keras then trains with
its first engine, in a session.
"""

from __future__ import annotations

from typing import Any


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
