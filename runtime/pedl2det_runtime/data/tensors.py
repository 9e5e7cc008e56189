"""Convert batches of arrays to the ``tf.data.Dataset`` that ``model.fit`` reads."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf


def standardized(batch: Any) -> Any:
    """Convert a batch as Keras converts the batches of a Sequence.

    Floating point arrays become ``floatx``, pandas objects become arrays, lists become tuples.
    Trailing ``None`` (no weights) is removed.
    """
    if isinstance(batch, list | tuple):
        parts = list(batch)
        while len(parts) > 1 and parts[-1] is None:
            parts.pop()
        return tuple(_standard(part) for part in parts)
    return _standard(batch)


def call_once(model: Any, first: Any) -> bool:
    """Build a model by calling it with its first batch.

    Args:
        model: the model.
        first: a standardized batch.

    Returns:
        False if the model cannot be called with its data, such as a GAN whose ``call`` takes noise.
        Its own training step builds it.
    """
    if model.built:
        return True
    inputs = first[0] if isinstance(first, tuple) else first
    try:
        model(tf.nest.map_structure(tf.convert_to_tensor, inputs), training=False)
    except NotImplementedError:  # the model has no forward pass
        return True
    except (TypeError, ValueError, tf.errors.InvalidArgumentError):
        return False
    return True


def as_dataset(first: Any, others: Iterator[Any], spec: Any) -> tf.data.Dataset:
    """Return a dataset that requests a batch only when it is read.

    The dataset does not prefetch: the workers do, and they know where to pause. ``numpy_function``
    needs a quarter less time per batch than ``Dataset.from_generator`` (benchmarks/README.md).

    Args:
        first: the first batch, standardized.
        others: the batches after it, standardized.
        spec: the nested ``tf.TensorSpec`` of all batches.
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


def matches(spec: Any, batch: Any) -> bool:
    """Return whether a standardized batch has the dtypes and shapes of ``spec``."""
    wanted, arrays = tf.nest.flatten(spec), tf.nest.flatten(batch)
    return len(arrays) == len(wanted) and all(
        _dtype(array) == one.dtype and one.shape.is_compatible_with(np.shape(array))
        for one, array in zip(wanted, arrays, strict=True)
    )


def described(batch: Any) -> str:
    """Describe a standardized batch for messages: the dtype and shape of each array."""
    arrays = tf.nest.flatten(batch)
    return ", ".join(f"{_dtype(array).name} {tuple(np.shape(array))}" for array in arrays)


def described_spec(spec: Any) -> str:
    """Describe the nested spec of batches, like :func:`described`; None is any size."""
    return ", ".join(
        f"{one.dtype.name} {one.shape}" if hasattr(one, "dtype") else type(one).__name__
        for one in tf.nest.flatten(spec)
    )


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
    if hasattr(value, "iloc"):  # pandas; a Series becomes a column
        array = value.to_numpy()
        return _standard(array if array.ndim > 1 else array[:, None])
    return value


def of_any_length(array: Any) -> tf.TensorSpec:
    """Return the spec of this array with any number of records: shape (None, ...)."""
    tensor = tf.convert_to_tensor(array)
    return tf.TensorSpec([None, *tensor.shape[1:]], tensor.dtype)


def of_any_shape(array: Any) -> tf.TensorSpec:
    """Return the spec of this array with unknown sizes: shape (None, None, ...)."""
    tensor = tf.convert_to_tensor(array)
    return tf.TensorSpec([None] * tensor.shape.rank, tensor.dtype)
