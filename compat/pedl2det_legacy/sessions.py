"""Sessions of TensorFlow 1 in eager mode."""

import contextlib
import functools
import importlib

import tensorflow as tf

from pedl2det_legacy.old_layers import replace


def writing(original):
    """Return a function that writes variables and notes when it did."""

    @functools.wraps(original)
    def write(*args, **kwargs):
        result = original(*args, **kwargs)
        if tf.executing_eagerly():
            tf.Variable.last_write = tf.constant(0)._id  # tensors are numbered
        return result

    return write


def noting_writes(session):
    """Note when variables are written: values of older tensors may be old ones."""
    operations = "tensorflow.python.ops.resource_variable_ops"
    variable = importlib.import_module(operations).ResourceVariable
    for owner, names in (
        (variable, ("assign", "assign_add", "assign_sub")),
        (tf.keras.callbacks.CallbackList, ("on_train_batch_end",)),
        (tf.keras.Model, ("train_on_batch",)),
    ):
        for name in names:
            replace(owner, name, writing)
    return session


def needs_graph_mode(reason):
    """Raise what `pedl2det run` answers by graph mode."""
    raise RuntimeError(
        f"{reason}; for graph mode call "
        "tf.compat.v1.disable_eager_execution() at the top of the trial's code"
    )


def evaluated(tensor, feed_dict=None, session=None):
    """Return the value of a tensor in eager mode; None for an operation.

    TensorFlow 1 computed it anew each time.
    """
    if tf.is_symbolic_tensor(tensor) or hasattr(tensor, "_keras_history"):
        needs_graph_mode(f"the tensor {tensor.name} is symbolic and has no value")
    if isinstance(tensor, tf.Tensor):
        is_old = tensor._id < getattr(tf.Variable, "last_write", 0)
        if is_old or hasattr(tensor, "was_evaluated"):
            needs_graph_mode(
                f"the {tensor.dtype.name} tensor of shape {tensor.shape} has the value "
                "of its creation, which is not computed again"
            )
        tensor.was_evaluated = True
    return tensor.numpy() if hasattr(tensor, "numpy") else None


def evaluating(original):
    """Return `K.eval` of TensorFlow 1."""

    @functools.wraps(original)
    def evaluate(x):
        if tf.compat.v1.executing_eagerly_outside_functions():
            evaluated(x)
        return original(x)

    return evaluate


@noting_writes
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
        needs_graph_mode("tf.Session().graph: there is no graph in eager mode")

    def run(self, fetches, feed_dict=None):
        """Return the values of tensors."""
        if feed_dict:
            needs_graph_mode(
                "tf.Session().run(..., feed_dict=...): "
                "there are no placeholders in eager mode"
            )
        return tf.nest.map_structure(evaluated, fetches)

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
