"""What models of TensorFlow 1 and standalone Keras meant by ``compile``.

Standalone Keras and ``tf.keras`` had different optimizers under the same names. Models of
standalone Keras are therefore marked.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from pedl.old_functions import for_keras

_MARK = "_pedl_is_standalone"


def standalone_models(tf: Any, path: str, held: dict[str, Any]) -> dict[str, Any]:
    """Wrap the classes and functions of a path of standalone Keras to mark their models.

    Args:
        tf: TensorFlow, with Keras 2.
        path: the path below ``keras``.
        held: the objects at that path, by name.

    Returns:
        The wrapped objects, by name.
    """
    marked: dict[str, Any] = {}
    if path.partition(".")[0] in ("", "models", "engine", "applications"):
        for name, value in held.items():
            if value is tf.keras.Model or value is tf.keras.Sequential:
                marked[name] = _StandIn(value)
            elif inspect.isfunction(value) and path not in ("", "engine"):
                marked[name] = _marking(value)
    return marked


class _StandIn:
    """A replacement of ``keras.models.Model`` or ``Sequential`` that marks its models.

    It is not a class. A user's subclass derives from today's class, because Keras changes the bases
    of functional subclasses.

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
        attribute = getattr(self._kind, name)
        return _marking(attribute) if name == "from_config" else attribute


def _is_standalone(model: Any) -> bool:
    """Return whether a model or its class was created through standalone Keras."""
    bases = (vars(kind).get("__orig_bases__", ()) for kind in type(model).__mro__)
    return getattr(model, _MARK, False) or any(
        type(base) is _StandIn for original in bases for base in original
    )


def _marking(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def marking(*args: Any, **kwargs: Any) -> Any:
        return _marked(function(*args, **kwargs))

    return marking


def _marked(result: Any) -> Any:
    if hasattr(result, "compile"):
        setattr(result, _MARK, True)
    return result


def compiling(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap ``Model.compile`` to resolve names like Keras 2.2.4 for models of standalone Keras.

    Optimizers of ``tf.train`` are replaced by those for Keras.

    Args:
        original: the method.
    """
    from pedl2det_legacy.standalone_keras import standalone_losses, standalone_optimizer

    signature = inspect.signature(original)

    @functools.wraps(original)
    def compile(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: A001
        bound = signature.bind(self, *args, **kwargs)
        arguments = bound.arguments
        if "optimizer" in arguments:
            arguments["optimizer"] = for_keras(arguments["optimizer"])
        if not _is_standalone(self):
            return original(*bound.args, **bound.kwargs)
        arguments["optimizer"] = standalone_optimizer(arguments.get("optimizer", "rmsprop"))
        for name in ("loss", "metrics", "weighted_metrics"):
            if arguments.get(name) is not None:
                arguments[name] = standalone_losses(arguments[name])
        return original(*bound.args, **bound.kwargs)

    return compile
