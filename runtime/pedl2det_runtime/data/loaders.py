"""Convert the return value of a data loader into a sequence of batches or a dataset.

Follows docs/semantics.md, Data loaders.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Union

import numpy as np
import numpy.typing as npt

from pedl2det_runtime.errors import CheckFailedError, InvalidDataTypeException
from pedl2det_runtime.errors.trial_code import location_of

if TYPE_CHECKING:
    import tensorflow as tf

    from pedl2det_runtime.data.sequence_adapter import SequenceAdapter


Array = npt.NDArray[Any]

#: Inputs, targets or weights: one array, a list or tuple of arrays, or a dict of arrays by name.
ArrayLike = Array | list[Array] | tuple[Array, ...] | dict[str, Array]

#: What a data loader may return.
InputData = Union[
    "tf.keras.utils.Sequence",
    "tf.data.Dataset",
    "SequenceAdapter",
    tuple[ArrayLike, ArrayLike],
    tuple[ArrayLike, ArrayLike, Array],
]


class BatchSequence(Protocol):
    """An object that returns batches by index, such as a ``Sequence`` of any Keras version."""

    def __len__(self) -> int:
        """Return the number of batches in one pass."""

    def __getitem__(self, index: int) -> Any:
        """Return one batch: ``(inputs, targets)`` or ``(inputs, targets, sample_weights)``."""


class ArraySequence:
    """Slice arrays in memory into batches.

    Args:
        arrays: ``(x,)``, ``(x, y)`` or ``(x, y, sample_weights)``. Each is an array-like of shape
            (records, ...), or a list, tuple or dict of array-likes.
        batch_size: records per batch.
        keeps_partial_batch: whether to keep a smaller last batch.

    Raises:
        InvalidDataTypeException: a part is not array-like.
        CheckFailedError: the numbers of records differ, or are less than ``batch_size``.
    """

    def __init__(
        self, arrays: tuple[Any, ...], batch_size: int, *, keeps_partial_batch: bool = True
    ) -> None:
        names = ("x", "y", "sample weights")
        lengths = [records_in(part, name) for part, name in zip(arrays, names, strict=False)]
        if len(lengths) > 1 and lengths[1] != lengths[0]:
            raise CheckFailedError(
                f"Length of x and y do not match: x has {lengths[0]} records, y has {lengths[1]}."
            )
        if lengths[-1] != lengths[0]:
            raise CheckFailedError(
                "Lengths of input data and sample weights do not match: "
                f"{lengths[0]} records, {lengths[-1]} weights."
            )
        if lengths[0] < batch_size:
            raise CheckFailedError(
                "Batch size is too large for the input data: "
                f"{lengths[0]} records, batches of {batch_size}."
            )
        self._arrays = tuple(_mapped(part, np.asarray) for part in arrays)
        self._batch_size, self._records = batch_size, lengths[0]
        whole, rest = divmod(lengths[0], batch_size)
        self._length = whole + (1 if rest and keeps_partial_batch else 0)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        records = slice(index * self._batch_size, (index + 1) * self._batch_size)
        return tuple(_mapped(part, lambda array: array[records]) for part in self._arrays)

    def stack(self, indices: Sequence[int]) -> tuple[Any, ...]:
        """Return several batches of equal size, each array of shape (batches, records, ...)."""
        return tuple(
            _mapped(part, lambda array: self._stacked(array, indices)) for part in self._arrays
        )

    def _stacked(self, array: Array, indices: Sequence[int]) -> Array:
        size = self._batch_size
        first, count = indices[0] * size, len(indices)
        if count == 1:
            return array[None, first : first + size]
        if [*indices] == [*range(indices[0], indices[0] + count)]:
            return array[first : first + count * size].reshape(count, size, *array.shape[1:])
        return np.stack([array[index * size : (index + 1) * size] for index in indices])

    @property
    def whole_batches(self) -> int:
        """The number of batches that have ``batch_size`` records."""
        return self._records // self._batch_size

    @property
    def bytes_in_batch(self) -> int:
        """The size of a whole batch."""
        whole: int = sum(array.nbytes for part in self._arrays for array in _leaves(part))
        return whole * self._batch_size // self._records


def as_data(data: Any, batch_size: int, *, keeps_partial_batch: bool = True) -> Any:
    """Convert the return value of a loader into a :class:`BatchSequence` or a ``tf.data.Dataset``.

    Raises:
        InvalidDataTypeException: the type is not supported.
        CheckFailedError: the arrays do not fit together, or there are no batches.
    """
    if is_dataset(data):
        return data
    if isinstance(data, tuple) and len(data) in (2, 3):
        arrays = data[:2] if data[-1] is None else data
        return ArraySequence(arrays, batch_size, keeps_partial_batch=keeps_partial_batch)
    is_container = isinstance(data, tuple | list | dict | str | bytes | np.ndarray)
    is_container |= hasattr(data, "iloc")  # of pandas
    if hasattr(data, "__getitem__") and hasattr(data, "__len__") and not is_container:
        _check_length(data)
        return data
    raise InvalidDataTypeException(
        type(data).__name__,
        "expected a tuple (x, y) or (x, y, sample_weights) of NumPy arrays, a tf.data.Dataset, "
        "or a keras.utils.Sequence." + (" Is the return of the loader missing?" * (data is None)),
    )


def is_dataset(data: Any) -> bool:
    """Return whether this is a ``tf.data.Dataset``. Does not import TensorFlow."""
    return hasattr(data, "element_spec") and hasattr(data, "cardinality")


def _check_length(data: Any) -> None:
    """Raise ``CheckFailedError`` if the length of a sequence is not a positive integer."""
    name, location = type(data).__name__, location_of(type(data).__len__)
    at = f"{location}: " if location else ""
    try:
        count = len(data)
    except (TypeError, ValueError) as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
            raise  # raised inside of __len__
        raise CheckFailedError(f"{at}{name}.__len__: expected a whole number: {error}") from None
    if count < 1:
        raise CheckFailedError(
            f"{at}{name}: the data set is empty: it must hold at least one batch, got {count}"
        )


def records_in(part: Any, name: str) -> int:
    """Return the number of records in one array, or in each of a list, tuple or dict of arrays.

    Raises:
        InvalidDataTypeException: the part holds an object that is not array-like.
        CheckFailedError: the numbers of records differ.
    """
    arrays = _leaves(part)
    others = [  # tensors and pandas objects convert to arrays
        array
        for array in arrays
        if not (hasattr(array, "__array__") and len(getattr(array, "shape", ())) > 0)
    ]
    if others or not arrays:
        kinds = sorted({type(array).__name__ for array in others}) or [type(part).__name__]
        raise InvalidDataTypeException(
            ", ".join(kinds), f"{name} must hold NumPy arrays; convert it with np.asarray."
        )
    lengths = {len(array) for array in arrays}
    if len(lengths) > 1:
        raise CheckFailedError(f"The arrays in {name} differ in length: {sorted(lengths)}.")
    return lengths.pop()


def _leaves(part: Any) -> list[Any]:
    if isinstance(part, dict):
        return list(part.values())
    return list(part) if isinstance(part, list | tuple) else [part]


def _mapped(part: Any, function: Callable[[Array], Array]) -> Any:
    """Apply a function to every array of one part of array data."""
    if isinstance(part, dict):
        return {name: function(array) for name, array in part.items()}
    if isinstance(part, list | tuple):
        return [function(array) for array in part]
    return function(part)
