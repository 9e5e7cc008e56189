"""Models of standalone Keras: ``compile`` takes names as Keras 2.2.4 meant them.

``tf.keras`` of the time had other optimizers under the same names, so a model remembers through
which of the two it was made.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

from pedl import old_phase

_MARK = "_pedl_is_standalone"


def standalone_models(tf: Any, path: str, held: dict[str, Any]) -> dict[str, Any]:
    """What gives models at a path of standalone Keras: they are marked.

    Args:
        tf: TensorFlow, with Keras 2.
        path: the path below ``keras``.
        held: what is there.
    """
    if path.partition(".")[0] not in ("", "models", "engine", "applications"):
        return {}
    kinds = tf.keras.Model, tf.keras.Sequential
    marked = {
        name: _StandIn(kind) for name, value in held.items() for kind in kinds if value is kind
    }
    gives = {name: value for name, value in held.items() if inspect.isfunction(value)}
    if path in ("", "engine"):
        gives = {}
    return marked | {name: _marking(function) for name, function in gives.items()}


class _StandIn:
    """``keras.models.Model`` or ``Sequential``, whose models are marked.

    It is no class: a user's subclass derives from today's, since Keras changes the bases of a class
    whose constructor names inputs and outputs.

    Args:
        kind: today's class.
    """

    def __init__(self, kind: Any) -> None:
        self._kind = kind

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _marked(self._kind(*args, **kwargs))

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[Any, ...]:
        return (self._kind,)

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, self._kind)

    def __subclasscheck__(self, other: Any) -> bool:
        return issubclass(other, self._kind)

    def __eq__(self, other: object) -> bool:
        return other is self._kind or (isinstance(other, _StandIn) and other._kind is self._kind)

    def __hash__(self) -> int:
        return hash(self._kind)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._kind, name)
        return _marking(found) if name == "from_config" else found


def _is_standalone(model: Any) -> bool:
    """Whether a model, or its class, was made through standalone Keras."""
    bases = (vars(kind).get("__orig_bases__", ()) for kind in type(model).__mro__)
    return getattr(model, _MARK, False) or any(
        type(base) is _StandIn for original in bases for base in original
    )


def _marking(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def marking(*args: Any, **kwargs: Any) -> Any:
        return _marked(function(*args, **kwargs))

    return marking


def _marked(made: Any) -> Any:
    if hasattr(made, "compile"):
        setattr(made, _MARK, True)
    return made


def compiling(tf: Any, original: Callable[..., Any]) -> Callable[..., Any]:
    """``Model.compile`` that understands the names of standalone Keras, of its own models.

    Args:
        tf: TensorFlow, with Keras 2.
        original: the method.
    """
    signature = inspect.signature(original)

    @functools.wraps(original)
    def compile(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: A001
        old_phase.keep(self)
        if not _is_standalone(self):
            return original(self, *args, **kwargs)
        bound = signature.bind(self, *args, **kwargs)
        said = bound.arguments
        said["optimizer"] = optimizer_of(said.get("optimizer", "rmsprop"))
        for name in ("loss", "metrics", "weighted_metrics"):
            if said.get(name) is not None:
                said[name] = by_old_names(tf, said[name])
        return original(*bound.args, **bound.kwargs)

    return compile


def optimizer_of(identifier: Any) -> Any:
    """The optimizer that standalone Keras means; its names have other defaults than today."""
    served = importlib.import_module("keras.optimizers")
    return served.get(identifier) if isinstance(identifier, str) else identifier


def by_old_names(tf: Any, said: Any) -> Any:
    """Losses or metrics, with the functions of Keras 2.2.4 for names that mean others today."""
    if isinstance(said, str):
        return old_losses(tf).get(said, said)
    if isinstance(said, dict):
        return {name: by_old_names(tf, value) for name, value in said.items()}
    if isinstance(said, list | tuple):
        return type(said)(by_old_names(tf, value) for value in said)
    return said


@functools.cache
def old_losses(tf: Any) -> dict[str, Callable[[Any, Any], Any]]:
    """The losses of Keras 2.2.4 that are others today: labels of 0 and 1 were not converted."""
    backend = tf.keras.backend

    def hinge(y_true: Any, y_pred: Any) -> Any:
        return backend.mean(tf.maximum(1.0 - tf.cast(y_true, y_pred.dtype) * y_pred, 0.0), axis=-1)

    def squared_hinge(y_true: Any, y_pred: Any) -> Any:
        margin = tf.maximum(1.0 - tf.cast(y_true, y_pred.dtype) * y_pred, 0.0)
        return backend.mean(tf.square(margin), axis=-1)

    def cosine_proximity(y_true: Any, y_pred: Any) -> Any:
        y_true = tf.math.l2_normalize(tf.cast(y_true, y_pred.dtype), axis=-1)
        return -backend.sum(y_true * tf.math.l2_normalize(y_pred, axis=-1), axis=-1)

    functions = hinge, squared_hinge, cosine_proximity
    return {function.__name__: function for function in functions} | {"cosine": cosine_proximity}


def predict_classes(model: Any, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
    """Return the class of each record, as ``Sequential.predict_classes`` did."""
    scores = model.predict(x, batch_size=batch_size, verbose=verbose)
    return scores.argmax(axis=-1) if scores.shape[-1] > 1 else (scores > 0.5).astype("int32")


def predict_proba(model: Any, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
    """Return the predictions, as ``Sequential.predict_proba`` did."""
    return model.predict(x, batch_size=batch_size, verbose=verbose)
