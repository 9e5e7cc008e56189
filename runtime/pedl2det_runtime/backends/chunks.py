"""Several batches in one execution of a model's training or test function."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pedl2det_runtime.backends import graph_mode


def make_chunkable(model: Any, batches: int) -> bool:
    """Enable several batches per execution; return False if the model does not support it.

    Keras' own loop traces a step twice for each function. This one traces it once.

    Args:
        model: a compiled model.
        batches: how many it is trained on. For a single one, tracing a loop costs more than it
            saves.
    """
    if graph_mode.is_chosen():
        return False
    model._steps_per_execution.assign(1)
    if batches == 1 or model.run_eagerly or _makes_its_own_functions(model):
        return False
    model.train_function = _in_a_loop(model.make_train_function(), model)
    model.test_function = _in_a_loop(model.make_test_function(), model)
    return True


@contextmanager
def one_batch(model: Any) -> Iterator[None]:
    """Let code call ``predict_on_batch`` in the ``with`` block, which reads one batch, too."""
    of_loop = int(model._steps_per_execution.numpy())
    set_chunk(model, 1)
    try:
        yield
    finally:
        set_chunk(model, of_loop)


def set_chunk(model: Any, batches: int) -> None:
    """Set the number of batches of the next execution. Keras reads it before each execution."""
    model._steps_per_execution.assign(batches)


def _makes_its_own_functions(model: Any) -> bool:
    """Return whether a model overrides Keras' loop over steps."""
    import tensorflow as tf

    return any(
        getattr(type(model), name) is not getattr(tf.keras.Model, name)
        for name in ("make_train_function", "make_test_function")
    )


def _in_a_loop(step: Any, model: Any) -> Any:
    """Return a function of an iterator that takes as many steps as a chunk has.

    Args:
        step: a ``tf.function`` of an iterator that takes one.
        model: whose chunks they are.
    """
    import tensorflow as tf

    def steps(iterator: Any) -> Any:
        outputs = step.get_concrete_function(iterator).structured_outputs
        specs = tf.nest.map_structure(tf.TensorSpec.from_tensor, outputs)
        begun = (0, tf.nest.map_structure(_zeros, specs))
        shapes = (tf.TensorShape(()), tf.nest.map_structure(lambda spec: spec.shape, specs))

        # The one call of it: two would draw the same random numbers.
        def take(taken: Any, _: Any) -> Any:
            return taken + 1, step(iterator)

        wanted = tf.cast(model._steps_per_execution, tf.int32)
        loop = tf.while_loop(lambda taken, _: taken < wanted, take, begun, shapes)
        return loop[1]

    return tf.function(steps, reduce_retracing=True, autograph=False)


def _zeros(spec: Any) -> Any:
    import tensorflow as tf

    sizes = [] if spec.shape.rank is None else spec.shape  # a scalar is of unknown rank, too
    return tf.zeros([size or 0 for size in sizes], spec.dtype)
