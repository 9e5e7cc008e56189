"""Pickles from a checkpoint, opened with an allow-list: they may hold data and nothing else."""

from __future__ import annotations

import io
import pickle
import sys
from pathlib import Path
from typing import Any

from pedl2det_runtime.errors import CheckpointError

_ALLOWED = {
    "builtins": {
        *("bool", "bytearray", "complex", "dict", "float", "frozenset", "int", "list"),
        *("range", "set", "slice", "str", "tuple"),
    },
    "collections": {"Counter", "OrderedDict", "defaultdict", "deque"},
    "datetime": {"date", "datetime", "time", "timedelta", "timezone"},
    "decimal": {"Decimal"},
    "pathlib": {"Path", "PosixPath", "PurePosixPath"},
    "uuid": {"UUID"},
    "numpy": {"dtype", "ndarray"},
    "numpy.random._mt19937": {"MT19937"},
    "numpy.random._pcg64": {"PCG64"},
    "numpy.random._pickle": {
        *("__bit_generator_ctor", "__generator_ctor", "__randomstate_ctor"),
    },
    "numpy.random.bit_generator": {"SeedSequence", "__pyx_unpickle_SeedSequence"},
    "numpy.core.multiarray": {"_reconstruct", "scalar"},
    "numpy._core.multiarray": {"_reconstruct", "scalar"},
    "numpy.core.numeric": {"_frombuffer"},
    "numpy._core.numeric": {"_frombuffer"},
}


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes, home: Path | None) -> None:
        super().__init__(io.BytesIO(data))
        self._home = home

    def find_class(self, module: str, name: str) -> Any:
        if name in _ALLOWED.get(module, ()):
            return super().find_class(module, name)
        if self._is_at_home(module):
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise CheckpointError(
            f"refused to unpickle {module}.{name}: it is not plain data "
            "(numbers, texts, arrays, lists, dicts) nor of a class that the trial defines"
        )

    def _is_at_home(self, module: str) -> bool:
        file = getattr(sys.modules.get(module), "__file__", None)
        return self._home is not None and file is not None and self._home in Path(file).parents


def dumps(value: Any, home: Path | None = None) -> bytes:
    """Pickle ``value``, which :func:`loads` will take.

    Args:
        value: plain data, and objects of the trial's own classes.
        home: the trial's directory.

    Raises:
        CheckpointError: it is more than that.
    """
    try:
        data = pickle.dumps(value, protocol=4)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise CheckpointError(f"cannot be pickled: {error}") from None
    loads(data, home)
    return data


def loads(data: bytes, home: Path | None = None) -> Any:
    """Unpickle plain data and objects of classes that the trial itself defines.

    Args:
        data: the pickle.
        home: the trial's directory; its modules are those that are imported already.

    Raises:
        CheckpointError: the pickle names any other class, or a function.
    """
    try:
        return _Unpickler(data, home).load()
    except (pickle.UnpicklingError, EOFError, AttributeError, IndexError) as error:
        raise CheckpointError(f"damaged pickle: {error}") from None
