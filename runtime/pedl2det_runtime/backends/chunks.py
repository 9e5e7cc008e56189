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
        batches: the number of batches to train. For a single one, tracing a loop costs more than
            it saves.
    """
    import tensorflow as tf

    if graph_mode.is_chosen():
        return False
    model._steps_per_execution.assign(1)
    overrides_loop = any(
        getattr(type(model), name) is not getattr(tf.keras.Model, name)
        for name in ("make_train_function", "make_test_function")
    )
    if batches == 1 or model.run_eagerly or overrides_loop:
        return False
    model.train_function = _loop_over(model.make_train_function(), model)
    model.test_function = _loop_over(model.make_test_function(), model)
    return True


@contextmanager
def one_batch(model: Any) -> Iterator[None]:
    """Run one batch per execution in the ``with`` block: ``predict_on_batch`` needs that."""
    chunk = int(model._steps_per_execution.numpy())
    set_chunk(model, 1)
    try:
        yield
    finally:
        set_chunk(model, chunk)


def set_chunk(model: Any, batches: int) -> None:
    """Set the number of batches of the next execution. Keras reads it before each execution."""
    model._steps_per_execution.assign(batches)


def _loop_over(step: Any, model: Any) -> Any:
    """Return a ``tf.function`` of an iterator that runs a step for each batch of a chunk."""
    import tensorflow as tf

    def steps(iterator: Any) -> Any:
        outputs = step.get_concrete_function(iterator).structured_outputs
        specs = tf.nest.map_structure(tf.TensorSpec.from_tensor, outputs)
        start = (0, tf.nest.map_structure(_zeros, specs))
        shapes = (tf.TensorShape(()), tf.nest.map_structure(lambda spec: spec.shape, specs))

        # Call the step in one place only: two calls would draw the same random numbers.
        def take(taken: Any, _: Any) -> Any:
            return taken + 1, step(iterator)

        chunk = tf.cast(model._steps_per_execution, tf.int32)
        loop = tf.while_loop(lambda taken, _: taken < chunk, take, start, shapes)
        return loop[1]

    return tf.function(steps, reduce_retracing=True, autograph=False)


def _zeros(spec: Any) -> Any:
    import tensorflow as tf

    sizes = [] if spec.shape.rank is None else spec.shape  # a scalar is of unknown rank, too
    return tf.zeros([size or 0 for size in sizes], spec.dtype)
