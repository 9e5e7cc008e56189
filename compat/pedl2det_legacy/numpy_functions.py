"""Functions that NumPy has removed or changed, and PEDL's reducer of metrics."""

import functools

import numpy as np

#: What NumPy calls types and functions today, before the names that they had.
_NUMPY_NAMES = """
    inf Inf Infinity PINF infty; nan NAN NaN; all alltrue; any sometrue; asmatrix mat
    cumprod cumproduct; ndim rank; prod product; round round_
    bool_ bool8; bytes_ bytes0 string_; clongdouble clongfloat longcomplex
    complex64 singlecomplex; complex128 cfloat complex_; float64 float_; intp int0
    longdouble longfloat; object_ object0; str_ str0 unicode_; uintp uint0; void void0
    sctypeDict typeDict
"""


def old_names_of_numpy():
    """Return what NumPy had under names that are gone."""
    names = {"NINF": -np.inf, "long": int, "unicode": str}
    names.update(
        {kind.__name__: kind for kind in (bool, complex, float, int, object, str)}
    )
    pieces = (asfarray, asscalar, find_common_type, msort)
    names.update({piece.__name__: piece for piece in pieces})
    for line in _NUMPY_NAMES.replace(";", "\n").strip().splitlines():
        today, *before = line.split()
        names.update(dict.fromkeys(before, getattr(np, today)))
    return {name: value for name, value in names.items() if name not in vars(np)}


def find_common_type(array_types, scalar_types):
    """Return a type that has room for all of these."""
    return np.result_type(*array_types, *scalar_types)


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


def with_objects(function):
    """Return np.array or np.asarray as before NumPy 1.24.

    Lists of different lengths make an array of objects.
    """

    @functools.wraps(function)
    def called(*args, **options):
        try:
            return function(*args, **options)
        except ValueError as error:
            has_type = len(args) > 1 or options.get("dtype") is not None
            if has_type or "inhomogeneous" not in str(error):
                raise
        return function(*args, **{**options, "dtype": object})

    return called


ragged_array = with_objects(np.array)
ragged_asarray = with_objects(np.asarray)


def elementwise_mean(metrics):
    """Return the mean of a metric over batches: of arrays an array."""
    return np.mean(np.asarray(metrics), axis=0)
