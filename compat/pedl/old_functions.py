"""Functions of TensorFlow and Keras that were removed, or behave in another way."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from pedl2det_names import IMAGE_RANGES, IMAGES_DIFFER, Name
from pedl2det_runtime.errors.repeated_warnings import logger

_log = logger(__name__)
_FOR_KERAS = "_pedl_for_keras"


def multi_gpu_model(model: Any, gpus: Any = None, *_: Any, **__: Any) -> Any:
    """Return the model unchanged and log a warning: it trains on one device."""
    _log.warning(
        "multi_gpu_model(..., gpus=%r): the model trains on one device; BatchNormalization "
        "normalizes over the whole batch, not over the part of each GPU; to train on several "
        "devices, run with --slots",
        gpus,
    )
    return model


def warning_of_images(original: Callable[..., None]) -> Callable[..., None]:
    """Wrap the constructor of ``ImageDataGenerator`` to warn of changed transformations.

    See docs/tf1.md, Differences.
    """
    signature = inspect.signature(original)

    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        original(self, *args, **kwargs)
        arguments = signature.bind(self, *args, **kwargs).arguments
        used = [name for name in IMAGE_RANGES if arguments.get(name)]
        if used:
            given = ", ".join(f"{name}={arguments[name]!r}" for name in used)
            _log.warning("ImageDataGenerator(%s): %s", given, IMAGES_DIFFER)

    return __init__


def of_its_time(row: Name, old: Any, today: Any) -> Any:
    """Return the object of an old name, which calls that of today where both mean the same."""
    if not row.today or inspect.isclass(old):
        return old

    @functools.wraps(today)
    def called(*args: Any, **kwargs: Any) -> Any:
        is_same = len(args) <= row.today.index("*") and kwargs.keys() <= {*row.today}
        return (today if is_same else old)(*args, **kwargs)

    return called


def train_optimizer(name: str, make: Callable[..., Any], tf: Any) -> Callable[..., Any]:
    """Return a function that creates an optimizer of ``tf.train``.

    In graph mode it is TensorFlow's, for sessions. In eager mode, and for Keras models in graph
    mode, it is what ``make`` creates: one of Keras with the arithmetic of TensorFlow 1, as Keras
    accepts no other.
    """
    original = getattr(tf.compat.v1.train, name)

    @functools.wraps(original, updated=())
    def make_optimizer(*args: Any, **kwargs: Any) -> Any:
        if tf.executing_eagerly():
            return make(*args, **kwargs)
        native = original(*args, **kwargs)
        setattr(native, _FOR_KERAS, functools.partial(make, *args, **kwargs))
        return native

    return make_optimizer


def for_keras(optimizer: Any) -> Any:
    """Return the Keras optimizer for one of graph mode; any other argument unchanged."""
    return getattr(optimizer, _FOR_KERAS, lambda: optimizer)()
