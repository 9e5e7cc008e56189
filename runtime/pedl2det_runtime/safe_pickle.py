"""Pickles from a checkpoint, opened with an allow-list: they may hold data and nothing else."""

from __future__ import annotations

import io
import pickle
from typing import Any

from pedl2det_runtime.errors import CheckpointError

_ALLOWED = {
    "builtins": {
        *("bool", "bytearray", "complex", "dict", "float", "frozenset", "int", "list"),
        *("range", "set", "slice", "str", "tuple"),
    },
    "collections": {"Counter", "OrderedDict", "defaultdict", "deque"},
    "numpy": {"dtype", "ndarray"},
    "numpy.core.multiarray": {"_reconstruct", "scalar"},
    "numpy._core.multiarray": {"_reconstruct", "scalar"},
    "numpy.core.numeric": {"_frombuffer"},
    "numpy._core.numeric": {"_frombuffer"},
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if name in _ALLOWED.get(module, ()):
            return super().find_class(module, name)
        raise CheckpointError(f"refused to unpickle {module}.{name}: it is not plain data")


def dumps(value: Any) -> bytes:
    """Pickle ``value``, which :func:`loads` will take.

    Raises:
        CheckpointError: it is more than plain data.
    """
    try:
        data = pickle.dumps(value, protocol=4)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise CheckpointError(f"cannot be pickled: {error}") from None
    loads(data)
    return data


def loads(data: bytes) -> Any:
    """Unpickle plain data.

    Raises:
        CheckpointError: the pickle names a class or function that is not on the allow-list.
    """
    try:
        return _Unpickler(io.BytesIO(data)).load()
    except (pickle.UnpicklingError, EOFError, AttributeError, IndexError) as error:
        raise CheckpointError(f"damaged pickle: {error}") from None
