"""What of TensorFlow 1 has to be made rather than found: sessions without a graph.

Old loaders evaluate a tensor in a session, ``with tf.Session().as_default(): image.eval()``. In
eager mode the tensor has its value already.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, Self

from pedl2det_runtime.errors import Pedl2DetError


class UnservedIdiomError(Pedl2DetError, AttributeError):
    """Old code uses something that has no counterpart; the message says what to write instead."""


class EagerSession:
    """``tf.Session`` where no graph is built: what it runs has been computed.

    Args:
        target: not used.
        graph: not used.
        config: not used; ``session_config`` says it.
    """

    def __init__(self, target: str = "", graph: Any = None, config: Any = None) -> None:
        del target, graph, config

    def run(self, fetches: Any, feed_dict: Any = None) -> Any:
        """The values of some tensors.

        Raises:
            UnservedIdiomError: there are placeholders to feed.
        """
        import tensorflow as tf

        if feed_dict:
            raise UnservedIdiomError(
                "tf.Session().run(..., feed_dict=...): placeholders need graph mode: call "
                "tf.compat.v1.disable_eager_execution() at the top of the trial"
            )
        return tf.nest.map_structure(lambda tensor: tensor.numpy(), fetches)

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


def evaluated(tensor: Any, feed_dict: Any = None, session: Any = None) -> Any:
    """``tensor.eval()`` of a tensor that has its value."""
    del feed_dict, session
    return tensor.numpy()


class Unserved:
    """Stands for a part of TensorFlow 1 that nothing serves; says so when it is used.

    Args:
        name: what old code says.
        instead: what to write.
    """

    def __init__(self, name: str, instead: str) -> None:
        self._message = f"{name} is not served: {instead}"

    def __call__(self, *_: Any, **__: Any) -> NoReturn:  # noqa: D102
        raise UnservedIdiomError(self._message)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # what introspection asks
            raise AttributeError(name)
        raise UnservedIdiomError(self._message)
