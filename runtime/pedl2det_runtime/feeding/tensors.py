"""From batches of arrays to the ``tf.data.Dataset`` that ``model.fit`` reads."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf


def standardized(batch: Any) -> Any:
    """A batch as Keras treats the batches of a Sequence.

    Floating point arrays become ``floatx``, pandas objects arrays, lists tuples; trailing None
    (no weights) is dropped.
    """
    parts = tuple(batch) if isinstance(batch, list) else batch
    if isinstance(parts, tuple):
        while len(parts) > 1 and parts[-1] is None:
            parts = parts[:-1]
    return _tuples(tf.nest.map_structure(_array, parts))


def build(model: Any, first: Any) -> None:
    """Build a model that learns its shapes from its first batch."""
    if model.built:
        return
    inputs = first[0] if isinstance(first, tuple) else first
    # A container of models without a forward pass of its own (a GAN) needs no building.
    with contextlib.suppress(NotImplementedError):
        model(tf.nest.map_structure(tf.convert_to_tensor, inputs), training=False)


def as_dataset(first: Any, others: Iterator[Any]) -> tf.data.Dataset:
    """A dataset that takes exactly as many batches as are asked of it, when they are.

    Nothing is fetched ahead here: the workers do that, and they know where to pause.

    Args:
        first: a standardized batch, which the others are like.
        others: the batches after it, not yet standardized.
    """

    def generate() -> Iterator[Any]:
        yield first
        for batch in others:
            yield standardized(batch)

    signature = tf.nest.map_structure(_any_shape, first)
    options = tf.data.Options()
    options.experimental_optimization.inject_prefetch = False
    options.autotune.enabled = False
    return tf.data.Dataset.from_generator(generate, output_signature=signature).with_options(
        options
    )


def _array(value: Any) -> Any:
    if hasattr(value, "iloc"):  # pandas; a Series is a column
        value = value.to_numpy() if value.ndim > 1 else value.to_numpy()[:, None]
    if isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.floating):
        return value.astype(tf.keras.backend.floatx(), copy=False)
    return value


def _tuples(structure: Any) -> Any:
    if isinstance(structure, list | tuple):
        return tuple(_tuples(part) for part in structure)
    if isinstance(structure, dict):
        return {name: _tuples(part) for name, part in structure.items()}
    return structure


def _any_shape(value: Any) -> tf.TensorSpec:
    tensor = tf.convert_to_tensor(value)
    return tf.TensorSpec([None] * tensor.shape.rank, tensor.dtype)
