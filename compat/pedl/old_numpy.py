"""Functions and names that NumPy has removed since 1.24."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from pedl2det_legacy import numpy_functions
from pedl2det_names import Name
from pedl2det_runtime.errors.repeated_warnings import logger

_log = logger(__name__)


def ragged(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap ``np.array`` to create an object array from lists of different lengths."""

    @functools.wraps(original)
    def array(*args: Any, **kwargs: Any) -> Any:
        try:
            return original(*args, **kwargs)
        except ValueError:
            ragged_array = numpy_functions.ragged(original, args, kwargs)
            _log.info("np.%s: lists of different lengths become an object array", original.__name__)
            return ragged_array

    return array


#: Replacements of names that have no successor.
_REPLACEMENTS: dict[str, Any] = {
    "NINF": -np.inf,
    "asfarray": numpy_functions.asfarray,
    "asscalar": numpy_functions.asscalar,
    "find_common_type": lambda arrays, scalars: np.result_type(*arrays, *scalars),
    "msort": numpy_functions.msort,
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
