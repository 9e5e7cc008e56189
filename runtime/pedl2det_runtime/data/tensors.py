"""From batches of arrays to the ``tf.data.Dataset`` that ``model.fit`` reads."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf


def standardized(batch: Any) -> Any:
    """A batch as Keras treats the batches of a Sequence.

    Floating point arrays become ``floatx``, pandas objects arrays, lists tuples; trailing None
    (no weights) is dropped.
    """
    if isinstance(batch, list | tuple):
        parts = list(batch)
        while len(parts) > 1 and parts[-1] is None:
            parts.pop()
        return tuple(_standard(part) for part in parts)
    return _standard(batch)


def call_once(model: Any, first: Any) -> bool:
    """Have a model take its shapes from its first batch.

    Returns:
        False for a model that cannot be called with its data, such as a GAN whose ``call`` wants
        noise: its own training step will know.
    """
    if model.built:
        return True
    inputs = first[0] if isinstance(first, tuple) else first
    try:
        model(tf.nest.map_structure(tf.convert_to_tensor, inputs), training=False)
    except NotImplementedError:  # no forward pass of its own
        return True
    except (TypeError, ValueError, tf.errors.InvalidArgumentError):
        return False
    return True


def as_dataset(first: Any, others: Iterator[Any], spec: Any) -> tf.data.Dataset:
    """A dataset that takes exactly as many batches as are asked of it, when they are.

    Nothing is fetched ahead here: the workers do that, and they know where to pause.
    ``numpy_function`` takes a quarter less time a batch than ``Dataset.from_generator``
    (benchmarks/README.md).

    Args:
        first: a standardized batch, which the others are like.
        others: the batches after it, standardized.
        spec: what every batch is, in ``tf.TensorSpec``.
    """
    batches = itertools.chain([first], others)
    specs = tf.nest.flatten(spec)

    def fetch() -> list[Any]:
        return [np.asarray(value) for value in tf.nest.flatten(next(batches))]

    def batch(_: Any) -> Any:
        values = tf.numpy_function(fetch, [], [spec.dtype for spec in specs])
        for value, spec in zip(values, specs, strict=True):
            value.set_shape(spec.shape)
        return tf.nest.pack_sequence_as(first, values)

    options = tf.data.Options()
    options.experimental_optimization.inject_prefetch = False
    options.autotune.enabled = False
    return tf.data.Dataset.range(_ENDLESS).map(batch).with_options(options)


_ENDLESS = 2**62


def are_like(spec: Any, batch: Any) -> bool:
    """Whether a standardized batch is what ``spec`` says."""
    wanted, arrays = tf.nest.flatten(spec), tf.nest.flatten(batch)
    return len(arrays) == len(wanted) and all(
        _dtype(array) == one.dtype and one.shape.is_compatible_with(np.shape(array))
        for one, array in zip(wanted, arrays, strict=True)
    )


def described(batch: Any) -> str:
    """What a standardized batch is, for people."""
    arrays = tf.nest.flatten(batch)
    return ", ".join(f"{_dtype(array).name} {tuple(np.shape(array))}" for array in arrays)


def _dtype(array: Any) -> Any:
    return tf.as_dtype(array.dtype if hasattr(array, "dtype") else np.asarray(array).dtype)


def _standard(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        is_float = value.dtype.kind == "f"
        return value.astype(tf.keras.backend.floatx(), copy=False) if is_float else value
    if isinstance(value, list | tuple):
        return tuple(_standard(part) for part in value)
    if isinstance(value, dict):
        return {name: _standard(part) for name, part in value.items()}
    if hasattr(value, "iloc"):  # pandas; a Series is a column
        array = value.to_numpy()
        return _standard(array if array.ndim > 1 else array[:, None])
    return value


def of_any_length(array: Any) -> tf.TensorSpec:
    """What arrays are that differ from this one in the number of records alone."""
    tensor = tf.convert_to_tensor(array)
    return tf.TensorSpec([None, *tensor.shape[1:]], tensor.dtype)


def of_any_shape(array: Any) -> tf.TensorSpec:
    """What arrays are that may differ from this one in every size."""
    tensor = tf.convert_to_tensor(array)
    return tf.TensorSpec([None] * tensor.shape.rank, tensor.dtype)
