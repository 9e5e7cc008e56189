"""Sessions of TensorFlow 1 in eager mode."""

import contextlib

import tensorflow as tf


class Session:
    """`tf.Session` in eager mode, where every tensor has its value already."""

    def __new__(cls, *args, **kwargs):
        if tf.compat.v1.executing_eagerly_outside_functions():
            return object.__new__(cls)
        return tf.compat.v1.Session(*args, **kwargs)

    def __init__(self, target="", graph=None, config=None):
        pass

    @property
    def graph(self):
        """There is no graph in eager mode."""
        self._fail("Session().graph: there is no graph in eager mode")

    def run(self, fetches, feed_dict=None):
        """Return the values of tensors; an operation, an initializer say, has none."""
        if feed_dict:
            self._fail(
                "Session().run(..., feed_dict=...): "
                "there are no placeholders in eager mode"
            )
        return tf.nest.map_structure(self._value, fetches)

    def _value(self, fetch):
        return fetch.numpy() if hasattr(fetch, "numpy") else None

    def _fail(self, reason):
        raise RuntimeError(
            reason + ": call tf.compat.v1.disable_eager_execution() "
            "at the top of the trial"
        )

    @contextlib.contextmanager
    def as_default(self):
        """Nothing to do: values need no session."""
        yield self

    def close(self):
        """Nothing to do: nothing is open."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def get_default_graph():
    """Return the graph; in eager mode it does not turn eager execution off."""
    graph = tf.compat.v1.get_default_graph()
    real, none = type(graph).as_default, contextlib.nullcontext(graph)
    graph.as_default = lambda: none if tf.executing_eagerly() else real(graph)
    return graph


def get_session():
    """Return the session of the graph, or one for eager mode."""
    if tf.compat.v1.executing_eagerly_outside_functions():
        return Session()
    return tf.compat.v1.keras.backend.get_session()


def set_session(session):
    """Set the session of the graph; in eager mode there is none."""
    if not tf.executing_eagerly():
        tf.compat.v1.keras.backend.set_session(session)
