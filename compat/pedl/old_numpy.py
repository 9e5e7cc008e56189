"""Functions and names that NumPy has removed since 1.24."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from pedl2det_names import Name
from pedl2det_runtime.errors.repeated_warnings import logger

_log = logger(__name__)


def ragged(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap ``np.array`` to create an object array from lists of different lengths."""

    @functools.wraps(original)
    def array(*args: Any, **kwargs: Any) -> Any:
        try:
            return original(*args, **kwargs)
        except ValueError as error:
            has_type = len(args) > 1 or kwargs.get("dtype") is not None
            if has_type or "inhomogeneous" not in str(error):
                raise
            _log.info("np.%s: lists of different lengths become an object array", original.__name__)
            return original(*args, **kwargs | {"dtype": object})

    return array


def asscalar(array: Any) -> Any:
    """Return the only element of an array as a Python scalar."""
    return array.item()


def asfarray(a: Any, dtype: Any = np.float64) -> Any:
    """Return an array of floats; a type of integers is none."""
    return np.asarray(a, dtype=dtype if np.issubdtype(dtype, np.inexact) else np.float64)


#: Replacements of names that have no successor.
_REPLACEMENTS: dict[str, Any] = {
    "NINF": -np.inf,
    "asfarray": asfarray,
    "asscalar": asscalar,
    "find_common_type": lambda arrays, scalars: np.result_type(*arrays, *scalars),
    "msort": lambda a: np.sort(a, axis=0),
}


def old_name(row: Name) -> Any:
    """Return the object for an old name of NumPy.

    Args:
        row: the row of the name in the table.
    """
    if row.new is None:
        return _REPLACEMENTS[row.old.removeprefix("numpy.")]
    module, _, name = row.new.rpartition(".")
    return getattr(importlib.import_module(module), name)
