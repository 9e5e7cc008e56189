"""Replacements of TensorFlow 1 objects without a successor."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pedl2det_runtime.errors import GraphModeNeededError, Pedl2DetError


class UnservedIdiomError(Pedl2DetError, AttributeError):
    """Old code uses a name without a counterpart; the message says what to write instead."""


class NeedsGraphModeError(UnservedIdiomError, GraphModeNeededError):
    """Old code uses a name that works in graph mode only."""


def old_iterator(name: str, tf: Any) -> Any:
    """Return a replacement of an iterator method of ``Dataset`` that needs graph mode.

    Args:
        name: the method, such as ``make_one_shot_iterator``.
        tf: TensorFlow.
    """
    served = Unserved(
        f"Dataset.{name}",
        "write `for x, y in dataset`",
        getattr(tf.compat.v1.data, name),
    )

    def make(dataset: Any, *args: Any, **kwargs: Any) -> Any:
        return served(dataset, *args, **kwargs)

    return make


class Unserved:
    """A placeholder for an unsupported name of TensorFlow 1; it raises when it is used.

    Args:
        name: the old name.
        instead: what to write instead.
        in_graph: the object to use in graph mode, or None.
    """

    def __init__(self, name: str, instead: str, in_graph: Any = None) -> None:
        where = "" if in_graph is None else " in eager mode"
        self._message = f"{name} is not supported{where}: {instead}"
        self._in_graph = in_graph

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        return self._served()(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # introspection
            raise AttributeError(name)
        return getattr(self._served(), name)

    def _served(self) -> Any:
        import tensorflow as tf

        if self._in_graph is None:
            raise UnservedIdiomError(self._message)
        if tf.compat.v1.executing_eagerly_outside_functions():
            raise NeedsGraphModeError(self._message)
        return self._in_graph


class Dimension(int):
    """A dimension of a shape: an int with the attribute ``value`` of TensorFlow 1."""

    @property
    def value(self) -> int:
        """The size."""
        return int(self)


def old_dimensions(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap ``TensorShape.__getitem__`` to return known dimensions with a ``value``."""

    @functools.wraps(original)
    def item(self: Any, key: Any) -> Any:
        dimension = original(self, key)
        return Dimension(dimension) if type(dimension) is int else dimension

    return item
