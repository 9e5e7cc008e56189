"""What of TensorFlow 1 has to be made rather than found: sessions without a graph.

Old loaders evaluate a tensor in a session, ``with tf.Session().as_default(): image.eval()``. In
eager mode the tensor has its value already.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, Self

from pedl2det_runtime.errors import Pedl2DetError

_GRAPH_MODE = "call tf.compat.v1.disable_eager_execution() at the top of the trial"


class UnservedIdiomError(Pedl2DetError, AttributeError):
    """Old code uses something that has no counterpart; the message says what to write instead."""


class EagerSession:
    """``tf.Session`` where no graph is built: what it runs has been computed.

    Args:
        target: not used.
        graph: not used.
        config: not used; ``session_config`` says it.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """In graph mode a session of TensorFlow."""
        import tensorflow as tf

        return (
            object.__new__(cls) if tf.executing_eagerly() else tf.compat.v1.Session(*args, **kwargs)
        )

    def __init__(self, target: str = "", graph: Any = None, config: Any = None) -> None:
        del target, graph, config

    @property
    def graph(self) -> NoReturn:
        """There is none.

        Raises:
            UnservedIdiomError: always.
        """
        raise UnservedIdiomError(f"tf.Session().graph: there is no graph: {_GRAPH_MODE}")

    def run(self, fetches: Any, feed_dict: Any = None) -> Any:
        """The values of some tensors; an operation, as an initializer is, has none.

        Raises:
            UnservedIdiomError: there are placeholders to feed.
        """
        import tensorflow as tf

        if feed_dict:
            raise UnservedIdiomError(
                f"tf.Session().run(..., feed_dict=...): placeholders need graph mode: {_GRAPH_MODE}"
            )
        return tf.nest.map_structure(
            lambda fetch: fetch.numpy() if hasattr(fetch, "numpy") else None, fetches
        )

    @contextmanager
    def as_default(self) -> Iterator[Self]:
        """Nothing to be done: values need no session."""
        yield self

    def close(self) -> None:
        """Nothing is open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def old_iterator(name: str, tf: Any) -> Any:
    """``Dataset.make_one_shot_iterator`` and its like, which need a session.

    Args:
        name: the method.
        tf: TensorFlow.
    """
    unserved = Unserved(
        f"Dataset.{name}",
        f"write `for x, y in dataset`; to draw by running a session: {_GRAPH_MODE}",
    )

    def make(dataset: Any, *args: Any, **kwargs: Any) -> Any:
        if tf.executing_eagerly():
            unserved()
        return getattr(tf.compat.v1.data, name)(dataset, *args, **kwargs)

    return make


def evaluated(tensor: Any, feed_dict: Any = None, session: Any = None) -> Any:
    """``tensor.eval()`` of a tensor that has its value."""
    del feed_dict, session
    return tensor.numpy()


class Unserved:
    """Stands for a part of TensorFlow 1 that nothing serves; says so when it is used.

    Args:
        name: what old code says.
        instead: what to write.
        in_graph: what serves it while a graph is built, if anything does.
    """

    def __init__(self, name: str, instead: str, in_graph: Any = None) -> None:
        self._message = f"{name} is not served: {instead}"
        self._in_graph = in_graph

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        return self._served()(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what introspection asks
            raise AttributeError(name)
        return getattr(self._served(), name)

    def _served(self) -> Any:
        import tensorflow as tf

        if self._in_graph is None or tf.executing_eagerly():
            raise UnservedIdiomError(self._message)
        return self._in_graph


class Dimension(int):
    """A dimension of a shape: a number, with the attribute ``value`` of TensorFlow 1."""

    @property
    def value(self) -> int:
        """The number."""
        return int(self)


def old_dimensions(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``TensorShape.__getitem__`` whose dimensions have a ``value``, unless unknown."""

    @functools.wraps(original)
    def item(self: Any, key: Any) -> Any:
        found = original(self, key)
        return Dimension(found) if type(found) is int else found

    return item
