"""Wrap classes and models of today's Keras to accept what old code passes to them.

Standalone Keras and ``tf.keras`` had different optimizers under the same names. Models of
standalone Keras are therefore marked, for their ``compile``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from pedl.old_functions import for_keras
from pedl.old_names import UnservedIdiomError
from pedl2det_names import CONVOLUTIONS
from pedl2det_names.keras import KERAS_1

_MARK = "_pedl_is_standalone"
_OF_MODELS = KERAS_1["models.Model"]

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def convolution(kind: Any, name: str) -> Any:
    """Wrap a convolution to read ``(filters, 3, 3)`` as a 3 x 3 kernel, like Keras 2.2.4."""
    from pedl2det_legacy.keras_1 import sizes_in_one
    from pedl2det_legacy.standalone_keras import translating

    dimensions = CONVOLUTIONS[name]

    def arguments(*args: Any, **kwargs: Any) -> Arguments:
        if len(args) <= 2:
            return args, kwargs
        clash = sorted({"padding", "strides", "data_format"} & kwargs.keys())
        with_kernel = sizes_in_one(dimensions, args)
        if len(with_kernel) > 2 or clash:
            raise UnservedIdiomError(
                f"{name}{args!r}: Keras 2.2.4 accepted only {dimensions} integers after the "
                "filters, as the kernel size: write kernel_size=, strides= and padding="
            )
        return with_kernel, kwargs

    return translating(kind, arguments)


def standalone_models(tf: Any, path: str, held: dict[str, Any]) -> dict[str, Any]:
    """Wrap the classes and functions of a path of standalone Keras to mark their models."""
    marked: dict[str, Any] = {}
    if path.partition(".")[0] in ("", "models", "engine", "applications"):
        for name, value in held.items():
            if value is tf.keras.Model or value is tf.keras.Sequential:
                marked[name] = StandIn(value)
            elif inspect.isfunction(value) and path not in ("", "engine"):
                marked[name] = _marking(value)
    return marked


class StandIn:
    """A replacement of ``keras.models.Model`` or ``Sequential`` that marks its models.

    It is not a class. A user's subclass derives from today's class, because Keras changes the bases
    of functional subclasses; or from the ``base`` that is given, of which it makes objects, too.
    """

    def __init__(self, kind: Any, base: Any = None) -> None:
        self._kind = kind
        self._base = base or kind

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        today = {_OF_MODELS.get(name) or name: value for name, value in kwargs.items()}
        return _marked(self._base(*args, **today))

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[Any, ...]:
        return (self._base,)

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, self._kind)

    def __subclasscheck__(self, other: Any) -> bool:
        return issubclass(other, self._kind)

    def __eq__(self, other: object) -> bool:
        return other is self._kind or (isinstance(other, StandIn) and other._kind is self._kind)

    def __hash__(self) -> int:
        return hash(self._kind)

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._kind, name)
        return _marking(attribute) if name == "from_config" else attribute


def _is_standalone(model: Any) -> bool:
    """Return whether a model or its class was created through standalone Keras."""
    bases = (vars(kind).get("__orig_bases__", ()) for kind in type(model).__mro__)
    return getattr(model, _MARK, False) or any(
        type(base) is StandIn for original in bases for base in original
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

    Optimizers of ``tf.train`` are replaced by those for Keras, and dicts by what they describe.
    """
    from pedl2det_legacy import keras_functions
    from pedl2det_legacy.standalone_keras import standalone_losses, standalone_optimizer

    signature = inspect.signature(original)

    @functools.wraps(original)
    def compile(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: A001
        bound = signature.bind(self, *args, **kwargs)
        arguments = bound.arguments
        is_standalone = _is_standalone(self)
        optimizer = for_keras(arguments.get("optimizer", "rmsprop"))
        if is_standalone or isinstance(optimizer, dict):
            get: Any = standalone_optimizer if is_standalone else keras_functions.optimizer
            optimizer = get(optimizer)
        arguments["optimizer"] = optimizer
        for name in ("loss", "metrics", "weighted_metrics") if is_standalone else ():
            arguments[name] = standalone_losses(arguments.get(name))
        return original(*bound.args, **bound.kwargs)

    return compile
