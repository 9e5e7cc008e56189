"""Functions that NumPy has removed or changed, and PEDL's reducer of metrics."""

import numpy as np


def asfarray(a, dtype=np.float64):
    """Return an array of floats; a type of integers is none."""
    is_float = np.issubdtype(dtype, np.inexact)
    return np.asarray(a, dtype=dtype if is_float else np.float64)


def asscalar(a):
    """Return the only element of an array as a number of Python."""
    return a.item()


def msort(a):
    """Return a sorted copy along the first axis."""
    return np.sort(a, axis=0)


def ragged_array(*args, **kwargs):
    """Call np.array; lists of different lengths make an array of objects."""
    return ragged(np.array, args, kwargs)


def ragged_asarray(*args, **kwargs):
    """Call np.asarray; lists of different lengths make an array of objects."""
    return ragged(np.asarray, args, kwargs)


def ragged(function, args, kwargs):
    """Call np.array or np.asarray as before NumPy 1.24."""
    try:
        return function(*args, **kwargs)
    except ValueError as error:
        has_type = len(args) > 1 or kwargs.get("dtype") is not None
        if has_type or "inhomogeneous" not in str(error):
            raise
    return function(*args, **{**kwargs, "dtype": object})


def elementwise_mean(metrics):
    """Return the mean of a metric over batches: of arrays an array."""
    return np.mean(np.asarray(metrics), axis=0)
