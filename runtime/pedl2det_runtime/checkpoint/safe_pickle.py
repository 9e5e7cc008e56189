"""Pickles from a checkpoint, opened with an allow-list: they may hold data and nothing else.

The memory that they take is bounded by their size, and by :data:`_BUDGET` for what takes more.
"""

from __future__ import annotations

import io
import pickle
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from pedl2det_runtime.errors import CheckpointError
from pedl2det_runtime.errors.trial_code import one_line

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
#: Named in pickles of other objects; our own pickles never call them.
_NEVER_CALLED = {
    *("bool", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple", "ndarray"),
    *("MT19937", "PCG64", "SeedSequence"),
}
#: Bytes that opcodes may take beyond those of the pickle, and what each of them takes.
_BUDGET = 2**30
_COSTS = {
    **dict.fromkeys((pickle.EMPTY_SET, pickle.FROZENSET, pickle.MARK), 256),
    **dict.fromkeys((pickle.EMPTY_LIST, pickle.EMPTY_DICT, pickle.LIST, pickle.DICT), 64),
    **dict.fromkeys((pickle.EMPTY_TUPLE, pickle.TUPLE, pickle.TUPLE1, pickle.TUPLE2), 64),
    **dict.fromkeys((pickle.TUPLE3, pickle.MEMOIZE, pickle.PUT), 64),
    **dict.fromkeys((pickle.BINPUT, pickle.LONG_BINPUT), 64),
}
#: Opcodes that no pickle of protocol 4 holds, some of which take memory or call something.
_REFUSED = b"".join(
    [
        *(pickle.PERSID, pickle.BINPERSID, pickle.INST, pickle.OBJ, pickle.EXT1, pickle.EXT2),
        *(pickle.EXT4, pickle.BYTEARRAY8, pickle.NEXT_BUFFER, pickle.READONLY_BUFFER),
        pickle.NEWOBJ_EX,
    ]
)
_CONTAINERS = (list, tuple, dict, set, frozenset, deque)
_DEPTH = 200


class _Unpickler(pickle._Unpickler):  # in Python: in C, no opcode can be bounded
    stack: list[Any]
    dispatch: ClassVar[dict[int, Callable[[Any], None]]]

    def __init__(self, data: bytes, home: Path | None) -> None:
        super().__init__(io.BytesIO(data))
        self._home = home
        self._left = _BUDGET

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

    def spend(self, size: int) -> None:
        """Count memory that is about to be taken."""
        self._left -= size
        if self._left < 0:
            raise ValueError(f"it takes more than {_BUDGET} bytes of memory")

    def check_call(self) -> None:
        """Refuse a call that takes more memory than its arguments."""
        function, arguments = self.stack[-2:]
        self.spend(256 + sum(map(len, filter(_is_sized, arguments))))
        if self._is_at_home(function.__module__):
            return
        match function.__name__:
            case "bytearray":
                is_ours = all(isinstance(value, bytes) for value in arguments)
            case "_reconstruct":
                is_ours = arguments[1] == (0,)
            case "scalar":
                is_ours = len(arguments) == 2 and isinstance(arguments[1], bytes)
            case name:
                is_ours = name not in _NEVER_CALLED
        if not is_ours or any(isinstance(value, range) for value in arguments):
            raise ValueError(f"it calls {function.__name__} as no pickle of a checkpoint does")

    def check_new(self) -> None:
        """Refuse arguments of a constructor, except of the trial's own classes."""
        kind, arguments = self.stack[-2:]
        self.spend(256)
        if arguments and not self._is_at_home(kind.__module__):
            raise ValueError(f"it makes a {kind.__name__} as no pickle of a checkpoint does")

    def check_build(self) -> None:
        """Refuse to change a class or a function."""
        target = self.stack[-2]
        if callable(target) and not self._is_at_home(type(target).__module__):
            raise ValueError("it changes a class or a function")

    def _is_at_home(self, module: str) -> bool:
        file = getattr(sys.modules.get(module), "__file__", None)
        return self._home is not None and file is not None and self._home in Path(file).parents


def _after(check: Callable[[_Unpickler], None], opcode: bytes) -> Callable[[_Unpickler], None]:
    """What loads an opcode, after a check."""
    load: Callable[[Any], None] = pickle._Unpickler.dispatch[opcode[0]]

    def checked(unpickler: _Unpickler) -> None:
        check(unpickler)
        load(unpickler)

    return checked


def _spending(cost: int) -> Callable[[_Unpickler], None]:
    return lambda unpickler: unpickler.spend(cost)


_Unpickler.dispatch = {
    **{code: load for code, load in pickle._Unpickler.dispatch.items() if code not in _REFUSED},
    **{code[0]: _after(_spending(cost), code) for code, cost in _COSTS.items()},
    pickle.REDUCE[0]: _after(_Unpickler.check_call, pickle.REDUCE),
    pickle.NEWOBJ[0]: _after(_Unpickler.check_new, pickle.NEWOBJ),
    pickle.BUILD[0]: _after(_Unpickler.check_build, pickle.BUILD),
}


def dumps(value: Any, home: Path | None = None) -> bytes:
    """Pickle ``value`` so that :func:`loads` accepts it.

    Args:
        value: plain data, and objects of the trial's own classes.
        home: the trial's directory.

    Raises:
        CheckpointError: it is more than that.
    """
    try:
        data = pickle.dumps(value, protocol=4)
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError) as error:
        raise CheckpointError(f"cannot be pickled: {one_line(error)}") from None
    loads(data, home)
    return data


def loads(data: bytes, home: Path | None = None) -> Any:
    """Unpickle plain data and objects of classes that the trial itself defines.

    Args:
        data: the pickle.
        home: the trial's directory; its modules are those that are imported already.

    Raises:
        CheckpointError: the pickle names any other class or a function, or is damaged.
    """
    try:
        value = _Unpickler(data, home).load()
        if _size(value, {}) > _BUDGET + len(data):
            raise ValueError("it refers to the same data too often")
    except CheckpointError:
        raise
    except Exception as error:  # damaged opcodes raise anything
        reason = one_line(error).removeprefix("ValueError: ")
        raise CheckpointError(f"damaged pickle: {reason}") from None
    return value


def _is_sized(value: Any) -> bool:
    return isinstance(value, (str, bytes, *_CONTAINERS))


def _size(value: Any, known: dict[int, int], depth: int = 0) -> int:
    """The size of plain data, in which what is shared counts as often as it is referred to."""
    if depth > _DEPTH:
        raise ValueError(f"it is nested more than {_DEPTH} deep")
    if not isinstance(value, _CONTAINERS):
        return 1 + len(value) if isinstance(value, str | bytes) else getattr(value, "nbytes", 1)
    if id(value) not in known:
        parts = [*value.items()] if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_size(part, known, depth + 1) for part in parts)
    return known[id(value)]
