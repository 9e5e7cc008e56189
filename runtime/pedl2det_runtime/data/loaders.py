"""What a data loader may return, made into one thing: a sequence of batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Union

import numpy as np
import numpy.typing as npt

from pedl2det_runtime.errors import CheckFailedError, InvalidDataTypeException
from pedl2det_runtime.errors.trial_code import place_of

if TYPE_CHECKING:
    import tensorflow as tf

    from pedl2det_runtime.data.sequence_adapter import SequenceAdapter


Array = npt.NDArray[Any]

#: Inputs, targets or weights: one array, several, or several by name.
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
    """What is read for training: known by what it does, not by which Keras it comes from."""

    def __len__(self) -> int:
        """Batches in one pass."""

    def __getitem__(self, index: int) -> Any:
        """Batch ``index``: ``(inputs, targets)`` or ``(inputs, targets, sample_weights)``."""


class ArraySequence:
    """Batches cut from arrays in memory; the last one may be smaller.

    Args:
        arrays: ``(x, y)`` or ``(x, y, sample_weights)``, each an array (or something that gives
            one, as pandas objects do), or a list, tuple or dict of arrays, all of the same length.
        batch_size: records in a batch.
        keeps_partial_batch: whether the last batch may be smaller; it is left out otherwise.

    Raises:
        InvalidDataTypeException: a part is of another type.
        CheckFailedError: lengths differ, or there are fewer records than one batch.
    """

    def __init__(
        self, arrays: tuple[Any, ...], batch_size: int, *, keeps_partial_batch: bool = True
    ) -> None:
        names = ("x", "y", "sample weights")
        lengths = [records_in(part, name) for part, name in zip(arrays, names, strict=False)]
        if lengths[1] != lengths[0]:
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
        self._arrays = tuple(as_arrays(part) for part in arrays)
        self._batch_size = batch_size
        whole, rest = divmod(lengths[0], batch_size)
        self._length = whole + (1 if rest and keeps_partial_batch else 0)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        first = index * self._batch_size
        return tuple(cut(part, first, first + self._batch_size) for part in self._arrays)


def as_data(data: Any, batch_size: int, *, keeps_partial_batch: bool = True) -> Any:
    """What is read for training: a :class:`BatchSequence` or a ``tf.data.Dataset``.

    Args:
        data: what a data loader returned.
        batch_size: records in a batch that is cut from arrays.
        keeps_partial_batch: whether the last of these may be smaller.

    Raises:
        InvalidDataTypeException: it is of a type that cannot be trained on.
        CheckFailedError: it is a tuple whose arrays do not fit together, or has no batches.
    """
    if is_dataset(data):
        return data
    if isinstance(data, tuple) and len(data) in (2, 3):
        arrays = data[:2] if data[-1] is None else data
        return ArraySequence(arrays, batch_size, keeps_partial_batch=keeps_partial_batch)
    if hasattr(data, "__getitem__") and hasattr(data, "__len__") and not _is_container(data):
        _check_length(data)
        return data
    raise InvalidDataTypeException(
        type(data).__name__,
        "expected a tuple (x, y) or (x, y, sample_weights) of NumPy arrays, a tf.data.Dataset, "
        "or a keras.utils.Sequence.",
    )


def is_dataset(data: Any) -> bool:
    """Whether this is a ``tf.data.Dataset``; asked without importing TensorFlow."""
    return hasattr(data, "element_spec") and hasattr(data, "cardinality")


def _check_length(data: Any) -> None:
    """Refuse a sequence that cannot say how many batches it has, or has none."""
    name, place = type(data).__name__, place_of(type(data).__len__)
    at = f"{place}: " if place else ""
    try:
        count = len(data)
    except (TypeError, ValueError) as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
            raise  # from within
        raise CheckFailedError(f"{at}{name}.__len__: expected a whole number: {error}") from None
    if count < 1:
        raise CheckFailedError(
            f"{at}{name}: the data set is empty: it must hold at least one batch, got {count}"
        )


def _is_container(data: Any) -> bool:
    return isinstance(data, tuple | list | dict | str | bytes | np.ndarray) or hasattr(data, "iloc")


def records_in(part: Any, name: str) -> int:
    """How many records there are in one array, or in each of several.

    Args:
        part: an array, or a list, tuple or dict of arrays.
        name: what it is called in an error.

    Raises:
        InvalidDataTypeException: it holds something else.
        CheckFailedError: the lengths differ.
    """
    arrays = _leaves(part)
    strange = [array for array in arrays if not _is_array_like(array)]
    if strange or not arrays:
        kinds = sorted({type(array).__name__ for array in strange}) or [type(part).__name__]
        raise InvalidDataTypeException(
            ", ".join(kinds), f"{name} must hold NumPy arrays; convert it with np.asarray."
        )
    lengths = {len(array) for array in arrays}
    if len(lengths) > 1:
        raise CheckFailedError(f"The arrays in {name} differ in length: {sorted(lengths)}.")
    return lengths.pop()


def _is_array_like(part: Any) -> bool:
    """Whether this is an array, or gives one: a tensor, a pandas object (seed 001, line 40)."""
    return hasattr(part, "__array__") and len(getattr(part, "shape", ())) > 0


def as_arrays(part: Any) -> Any:
    """One part of array data, or each array in it, as NumPy arrays."""
    if isinstance(part, dict):
        return {name: np.asarray(array) for name, array in part.items()}
    if isinstance(part, list | tuple):
        return [np.asarray(array) for array in part]
    return np.asarray(part)


def _leaves(part: Any) -> list[Any]:
    if isinstance(part, dict):
        return list(part.values())
    return list(part) if isinstance(part, list | tuple) else [part]


def cut(part: Any, first: int, last: int) -> Any:
    """The records of one part of array data from one number to another."""
    if isinstance(part, dict):
        return {name: array[first:last] for name, array in part.items()}
    if isinstance(part, list | tuple):
        return [array[first:last] for array in part]
    return part[first:last]
