"""Classes of today's Keras that take the arguments which old code gives.

What is made is an object of today's class: files, clones and type checks know no other. A user's
subclass gets the same arguments on their way to the constructor.
"""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable, Mapping
from typing import Any

from pedl.old_tensorflow import UnservedIdiomError
from pedl2det_names.keras_arguments import CONVOLUTIONS, OPTIMIZERS

_log = logging.getLogger(__name__)

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def taking(kind: Any, arguments: Callable[..., Arguments]) -> Any:
    """A class in whose place ``kind`` is made.

    Args:
        kind: today's class.
        arguments: today's arguments, from those that old code gives.
    """

    class Calling(type(kind)):  # type: ignore[misc]
        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if cls is not Old:  # a user's subclass
                return super().__call__(*args, **kwargs)
            args, kwargs = arguments(*args, **kwargs)
            return kind(*args, **kwargs)

        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, kind) if cls is Old else super().__instancecheck__(instance)

        def __subclasscheck__(cls, other: Any) -> bool:
            return issubclass(other, kind) if cls is Old else super().__subclasscheck__(other)

    class Old(kind, metaclass=Calling):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            args, kwargs = arguments(*args, **kwargs)
            super().__init__(*args, **kwargs)

    Old.__name__, Old.__qualname__, Old.__module__ = kind.__name__, kind.__name__, kind.__module__
    return Old


def renaming(
    keywords: Mapping[str, str | None], original: Callable[..., Any]
) -> Callable[..., Any]:
    """A function that also takes the old names of its parameters.

    Args:
        keywords: today's names by the old ones; None where an argument has no meaning any more.
        original: the function.
    """

    @functools.wraps(original)
    def renamed(*args: Any, **kwargs: Any) -> Any:
        said = {keywords.get(name, name): value for name, value in kwargs.items()}
        return original(*args, **{name: value for name, value in said.items() if name})

    return renamed


def with_defaults(kind: Any, defaults: dict[str, Any]) -> Any:
    """The class, with other defaults for arguments that are left out."""
    names = list(inspect.signature(kind.__init__).parameters)[1:]

    def arguments(*args: Any, **kwargs: Any) -> Arguments:
        given = {*names[: len(args)], *kwargs}
        missing = {name: value for name, value in defaults.items() if name not in given}
        _say(kind, missing)
        return args, kwargs | missing

    return taking(kind, arguments)


def optimizer(kind: Any) -> Any:
    """An optimizer of ``tf.keras.optimizers.legacy`` with the constructor of Keras 2.2.4."""
    signature = OPTIMIZERS[kind.__name__]
    today = inspect.signature(kind.__init__).parameters["learning_rate"].default

    def arguments(*args: Any, **kwargs: Any) -> Arguments:
        if len(args) > len(signature):
            raise TypeError(
                f"{kind.__name__}: expected at most {len(signature)} arguments by position "
                f"({', '.join(signature)}), got {len(args)}"
            )
        said = dict(zip(signature, args, strict=False))
        if both := said.keys() & kwargs.keys():
            raise TypeError(f"{kind.__name__}: {', '.join(sorted(both))} is given twice")
        said |= kwargs
        if not said.keys() & {"lr", "learning_rate"}:
            said["lr"] = signature["lr"]
            _say(kind, {"lr": said["lr"]} if said["lr"] != today else {})
        if "lr" in said:
            said["learning_rate"] = said.pop("lr")
        if kind.__name__ == "Adagrad":
            said.setdefault("initial_accumulator_value", 0.0)
        return (), _clipped(kind, said)

    return taking(kind, arguments)


def _clipped(kind: Any, said: dict[str, Any]) -> dict[str, Any]:
    """Keras 2.2.4 clips all gradients by their common norm; numbers below 0 mean not at all."""
    for name in ("clipnorm", "clipvalue"):
        if name in said and not (said[name] or 0) > 0:
            del said[name]
    if said.keys() >= {"clipnorm", "clipvalue"}:
        raise UnservedIdiomError(
            f"{kind.__name__}: clipnorm= and clipvalue= together are not served: Keras 2.2.4 "
            "clipped by the norm first, today's by the value: keep one of them"
        )
    if "clipnorm" in said:
        said["global_clipnorm"] = said.pop("clipnorm")
    return said


def with_schedules(original: Callable[..., None]) -> Callable[..., None]:
    """The constructor of all old optimizers, which compares its arguments with 0.

    The learning rate reaches it as ``lr=`` only to be checked: each optimizer reads it by itself.
    """

    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        if callable(kwargs.get("lr")):
            del kwargs["lr"]
        original(self, *args, **kwargs)

    return __init__


def convolution(kind: Any, name: str) -> Any:
    """A convolution that reads ``(filters, 3, 3)`` as Keras 2.2.4 did: a kernel of 3 by 3."""
    dimensions = CONVOLUTIONS[name]

    def arguments(*args: Any, **kwargs: Any) -> Arguments:
        if len(args) <= 2:
            return args, kwargs
        clash = sorted({"padding", "strides", "data_format"} & kwargs.keys())
        sizes = args[1:]
        if len(sizes) != dimensions or clash or not all(isinstance(size, int) for size in sizes):
            raise UnservedIdiomError(
                f"{name}{args!r}: Keras 2.2.4 took {dimensions} numbers after the filters as the "
                "size of the kernel, and nothing else by position: say kernel_size=, strides= and "
                "padding="
            )
        return (args[0], sizes), kwargs

    return taking(kind, arguments)


def _say(kind: Any, missing: dict[str, Any]) -> None:
    if missing:
        said = ", ".join(f"{key}={value!r}" for key, value in missing.items())
        _log.warning("%s: %s, the default of its time", kind.__name__, said)
