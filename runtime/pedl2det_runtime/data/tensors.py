"""Convert batches of arrays to the ``tf.data.Dataset`` that ``model.fit`` reads."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from pedl2det_runtime.errors.repeated_warnings import logger

_log = logger(__name__)


def standardized(batch: Any) -> Any:
    """Convert a batch as Keras converts the batches of a Sequence.

    Arrays of floating point numbers, or of objects that are numbers, become ``floatx``; pandas
    objects become arrays, lists become tuples. Trailing ``None`` (no weights) is removed.
    """
    if isinstance(batch, list | tuple):
        parts = list(batch)
        while len(parts) > 1 and parts[-1] is None:
            parts.pop()
        return tuple(_standard(part) for part in parts)
    return _standard(batch)


def call_once(model: Any, first: Any) -> bool:
    """Build a model by calling it with its first batch, which is standardized.

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


class StackedDatasets:
    """Datasets that are made once for each kind of batches, and read from one source after another.

    A dataset requests a stack of batches only when it is read. It does not prefetch: the workers
    do, and they know where to pause. ``numpy_function`` needs a quarter less time per call than
    ``Dataset.from_generator``, and one call for a stack much less than one for each batch
    (docs/performance.md).
    """

    def __init__(self) -> None:
        self._source: Iterator[Any] = iter(())
        self._made: list[tuple[Any, tf.data.Dataset]] = []

    def reading(self, stacks: Iterator[Any], spec: Any) -> tf.data.Dataset:
        """Return a dataset of batches; what earlier ones read must have ended.

        Args:
            stacks: batches of equal shapes, standardized and stacked; arrays of shape
                (batches, ...).
            spec: the nested ``tf.TensorSpec`` of a batch.
        """
        self._source = stacks
        for known, dataset in self._made:
            if known == spec:
                return dataset
        self._made.append((spec, self._dataset(spec)))
        return self._made[-1][1]

    def _dataset(self, spec: Any) -> tf.data.Dataset:
        specs = tf.nest.flatten(spec)

        def fetch() -> list[Any]:
            arrays: list[Any] = tf.nest.flatten(next(self._source))
            return arrays

        def stack(_: Any) -> Any:
            values = tf.numpy_function(fetch, [], [part.dtype for part in specs])
            for value, part in zip(values, specs, strict=True):
                value.set_shape([None, *part.shape])
            return tf.nest.pack_sequence_as(spec, values)

        options = tf.data.Options()
        options.experimental_optimization.inject_prefetch = False
        options.autotune.enabled = False
        # Converting a function by AutoGraph takes longer than reading the first batch.
        plain = tf.autograph.experimental.do_not_convert(stack)
        return tf.data.Dataset.range(2**62).map(plain).unbatch().with_options(options)


def stacked(batches: list[Any]) -> Any:
    """Stack standardized batches of equal shapes; arrays of shape (batches, ...)."""
    if len(batches) == 1:
        return tf.nest.map_structure(lambda array: np.asarray(array)[None], batches[0])
    return tf.nest.map_structure(lambda *arrays: np.stack(arrays), *batches)


def shapes(batch: Any) -> list[tuple[int, ...]]:
    """Return the shapes of the arrays of a standardized batch."""
    return [np.shape(array) for array in tf.nest.flatten(batch)]


def matches(spec: Any, batch: Any) -> bool:
    """Return whether a standardized batch has the dtypes and shapes of ``spec``."""
    wanted, arrays = tf.nest.flatten(spec), tf.nest.flatten(batch)
    return len(arrays) == len(wanted) and all(
        _dtype(array) == part.dtype and part.shape.is_compatible_with(np.shape(array))
        for part, array in zip(wanted, arrays, strict=True)
    )


def describe_batch(batch: Any) -> str:
    """Describe a standardized batch for messages: the dtype and shape of each array."""
    arrays = tf.nest.flatten(batch)
    return ", ".join(f"{_dtype(array).name} {tuple(np.shape(array))}" for array in arrays)


def describe_spec(spec: Any) -> str:
    """Describe the nested spec of batches, like :func:`describe_batch`; None is any size."""
    return ", ".join(
        f"{part.dtype.name} {part.shape}" if hasattr(part, "dtype") else type(part).__name__
        for part in tf.nest.flatten(spec)
    )


def _dtype(array: Any) -> Any:
    return tf.as_dtype(array.dtype if hasattr(array, "dtype") else np.asarray(array).dtype)


def _standard(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = _as_numbers(value) if value.dtype == object else value
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


def _as_numbers(array: Any) -> Any:
    """Return an array of objects as one of floats; unchanged if they are texts or no numbers."""
    if any(isinstance(value, str | bytes) for value in array.flat):
        return array
    with contextlib.suppress(TypeError, ValueError):
        array = array.astype(tf.keras.backend.floatx())
        _log.warning(
            "an array of objects is read as numbers, as Keras 2.2 read it; Determined does not: "
            "make it one with array.astype('float32')"
        )
    return array


def of_any_length(array: Any) -> tf.TensorSpec:
    """Return the spec of this array with any number of records: shape (None, ...)."""
    tensor = tf.convert_to_tensor(array)
    return tf.TensorSpec([None, *tensor.shape[1:]], tensor.dtype)


def of_any_shape(array: Any) -> tf.TensorSpec:
    """Return the spec of this array with unknown sizes: shape (None, None, ...)."""
    tensor = tf.convert_to_tensor(array)
    return tf.TensorSpec([None] * tensor.shape.rank, tensor.dtype)
