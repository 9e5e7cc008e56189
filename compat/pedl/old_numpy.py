"""What NumPy did before 1.24 and no longer does."""

from __future__ import annotations

import functools
import importlib
import logging
from collections.abc import Callable
from typing import Any

import numpy as np

from pedl2det_names import Name

_log = logging.getLogger(__name__)


def ragged(original: Callable[..., Any]) -> Callable[..., Any]:
    """``np.array`` that makes an array of objects of lists of several lengths."""

    @functools.wraps(original)
    def array(*args: Any, **kwargs: Any) -> Any:
        try:
            return original(*args, **kwargs)
        except ValueError as error:
            has_type = len(args) > 1 or kwargs.get("dtype") is not None
            if has_type or "inhomogeneous" not in str(error):
                raise
            _log.info("np.%s: lists of several lengths: an array of objects", original.__name__)
            return original(*args, **kwargs | {"dtype": object})

    return array


def asscalar(array: Any) -> Any:
    """The only element of an array, as Python has it."""
    return array.item()


#: What has no other name today.
_MADE: dict[str, Any] = {
    "NINF": -np.inf,
    "asfarray": lambda a, dtype=np.float64: np.asarray(a, dtype=dtype),
    "asscalar": asscalar,
    "find_common_type": lambda arrays, scalars: np.result_type(*arrays, *scalars),
    "msort": lambda a: np.sort(a, axis=0),
}


def served(row: Name) -> Any:
    """The object that an old name of NumPy means.

    Args:
        row: the row of the name.
    """
    if row.new is None:
        return _MADE[row.old.removeprefix("numpy.")]
    module, _, name = row.new.rpartition(".")
    return getattr(importlib.import_module(module), name)
