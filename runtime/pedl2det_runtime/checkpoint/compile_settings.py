"""What ``build_model`` compiled, as plain data: optimizers, their settings as built, and the loss.

Every checkpoint carries it, so that a resumed run can tell whether the code compiles something
else.
"""

from __future__ import annotations

from typing import Any

from pedl2det_runtime.backends import keras_versions

_OF_NO_EFFECT = {"name", "jit_compile"}  # Keras chooses the latter by the devices


def described(model: Any) -> dict[str, Any]:
    """Describe a compiled model that has not trained yet.

    Returns:
        JSON values: ``loss``, ``optimizer``, and ``optimizer_1`` and so on for further ones. An
        optimizer has its ``class`` beside its settings.
    """
    return {"loss": _plain(_loss(getattr(model, "loss", None)))} | {
        name: {"class": _class(optimizer)} | _settings(optimizer)
        for name, optimizer in keras_versions.named_optimizers(model).items()
    }


def _class(optimizer: Any) -> str:
    inner = getattr(optimizer, "inner_optimizer", None)  # of a LossScaleOptimizer
    name = type(optimizer).__name__
    return f"{name} of {type(inner).__name__}" if inner else name


def _settings(optimizer: Any) -> dict[str, Any]:
    config = _config(getattr(optimizer, "inner_optimizer", optimizer))
    return {key: value for key, value in config.items() if key not in _OF_NO_EFFECT}


def _config(thing: Any) -> dict[str, Any]:
    try:
        return {key: _plain(value) for key, value in thing.get_config().items()}
    except Exception:  # the user's own class: it may raise anything
        return {}


def _loss(loss: Any) -> Any:
    """A loss, with the name of Keras' function in place of its other names."""
    import tensorflow as tf

    if isinstance(loss, dict):
        return {str(name): _loss(one) for name, one in loss.items()}
    if isinstance(loss, list | tuple):
        return [_loss(one) for one in loss]
    if not isinstance(loss, str):
        return loss
    try:
        return tf.keras.losses.get(loss)
    except ValueError:
        return loss


def _plain(value: Any) -> Any:
    """JSON values; anything else by its name, which is the same in every process."""
    if isinstance(value, dict):
        return {str(key): _plain(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(child) for child in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "item") and getattr(value, "size", 0) == 1:
        return value.item()  # of NumPy
    if hasattr(value, "get_config"):
        return {"class": type(value).__name__} | _config(value)
    return getattr(value, "__name__", type(value).__name__)
