"""Read pickles of a checkpoint with an allow-list of classes and a memory limit.

Unpickling may take :data:`_BUDGET` bytes beyond the size of the pickle.
"""

from __future__ import annotations

import io
import pickle
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from pedl2det_runtime.checkpoint.code_files import is_code_folder
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
#: Allowed as references; pickles of pedl2det never call them.
_NEVER_CALLED = {
    *("bool", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple", "ndarray"),
    *("MT19937", "PCG64", "SeedSequence"),
}
#: Memory in bytes that opcodes may take beyond the size of the pickle, and the cost of each.
_BUDGET = 2**30
_COSTS = {
    **dict.fromkeys((pickle.EMPTY_SET, pickle.FROZENSET, pickle.MARK), 256),
    **dict.fromkeys((pickle.EMPTY_LIST, pickle.EMPTY_DICT, pickle.LIST, pickle.DICT), 64),
    **dict.fromkeys((pickle.EMPTY_TUPLE, pickle.TUPLE, pickle.TUPLE1, pickle.TUPLE2), 64),
    **dict.fromkeys((pickle.TUPLE3, pickle.MEMOIZE, pickle.PUT), 64),
    **dict.fromkeys((pickle.BINPUT, pickle.LONG_BINPUT), 64),
}
#: Opcodes that pickles of protocol 4 do not use; some allocate memory or call functions.
_REFUSED = b"".join(
    [
        *(pickle.PERSID, pickle.BINPERSID, pickle.INST, pickle.OBJ, pickle.EXT1, pickle.EXT2),
        *(pickle.EXT4, pickle.BYTEARRAY8, pickle.NEXT_BUFFER, pickle.READONLY_BUFFER),
        pickle.NEWOBJ_EX,
    ]
)
StandIns = Mapping[tuple[str, str], Callable[..., Any]]
_CONTAINERS = (list, tuple, dict, set, frozenset, deque)
_SIZED = (str, bytes, *_CONTAINERS)
_FILLED = (list, dict, set, deque, OrderedDict, defaultdict, Counter)
_REDUCE_OF_OBJECTS = (object.__reduce__, object.__reduce_ex__)
_DEPTH = 200


class _Unpickler(pickle._Unpickler):  # pure Python: the C version cannot limit opcodes
    stack: list[Any]
    metastack: list[list[Any]]
    dispatch: ClassVar[dict[int, Callable[[Any], None]]]

    def __init__(self, data: bytes, home: Path | None, stand_ins: StandIns) -> None:
        super().__init__(io.BytesIO(data))
        self._home = home
        self._stand_ins = stand_ins
        self._left = _BUDGET
        self._plain: list[Any] = [*stand_ins.values()]  # classes and functions of data
        self._own: list[type] = []  # classes of the trial

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in self._stand_ins:
            return self._stand_ins[module, name]
        if name in _ALLOWED.get(module, ()):
            plain = super().find_class(module, name)
            self._plain += [] if _is_in(plain, self._plain) else [plain]
            return plain
        if self._is_of_trial(module):
            kind = super().find_class(module, name)
            if isinstance(kind, type) and kind.__module__ == module:
                self._own += [] if _is_in(kind, self._own) else [kind]
                return kind
        raise CheckpointError(
            f"refused to unpickle {module}.{name}: it is neither plain data "
            "(numbers, strings, arrays, lists, dicts) nor a class that the trial defines"
        )

    def spend(self, size: int) -> None:
        """Deduct ``size`` bytes from the memory budget."""
        self._left -= size
        if self._left < 0:
            raise ValueError(f"it takes more than {_BUDGET} bytes of memory")

    def check_call(self) -> None:
        """Refuse a call that pickling does not write, or that takes more memory than its arguments.

        Of the trial's classes, those are called that define how they are pickled; others are
        created without a call.
        """
        function, arguments = self.stack[-2:]
        self.spend(256 + sum(len(value) for value in arguments if isinstance(value, _SIZED)))
        if _is_in(function, self._own):
            if (function.__reduce__, function.__reduce_ex__) == _REDUCE_OF_OBJECTS:
                raise ValueError(f"it calls {function.__name__}")
            return
        if not _is_in(function, self._plain) and type(function) not in self._stand_ins.values():
            raise ValueError(f"it calls an instance of {type(function).__name__}")
        match function.__name__:
            case "bytearray":
                is_expected = all(isinstance(value, bytes) for value in arguments)
            case "_reconstruct":
                is_expected = arguments[1] == (0,)
            case "scalar":
                is_expected = len(arguments) == 2 and isinstance(arguments[1], bytes)
            case name:
                is_expected = name not in _NEVER_CALLED
        if not is_expected or any(isinstance(value, range) for value in arguments):
            raise ValueError(f"it calls {function.__name__} with unexpected arguments")

    def check_new(self) -> None:
        """Refuse constructor arguments, except for the trial's classes that are pickled so."""
        kind, arguments = self.stack[-2:]
        self.spend(256)
        if not _is_in(kind, [*self._own, *self._plain]):
            raise ValueError("it creates an instance of no class")
        if arguments and not (_is_in(kind, self._own) and hasattr(kind, "__getnewargs__")):
            raise ValueError(f"it creates a {kind.__name__} with unexpected arguments")

    def check_build(self) -> None:
        """Refuse to modify a class or a function."""
        target = self.stack[-2]
        if type(target) in self._stand_ins.values():
            return
        is_own = _is_in(type(target), self._own)
        if isinstance(target, type) or (callable(target) and not is_own):
            raise ValueError("it modifies a class or a function")

    def check_container(self, target: Any) -> None:
        """Refuse to add items to anything but a list, set or dict, and the trial's objects."""
        if type(target) not in _FILLED and not _is_in(type(target), self._own):
            raise ValueError(f"it adds items to a {type(target).__name__}")

    def _is_of_trial(self, module: str) -> bool:
        file = Path(getattr(sys.modules.get(module), "__file__", None) or "")
        return self._home is not None and file.is_file() and is_code_folder(file.parent, self._home)


def _after(check: Callable[[_Unpickler], None], opcode: bytes) -> Callable[[_Unpickler], None]:
    """Return the loader of an opcode, preceded by a check."""
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
    pickle.APPEND[0]: _after(lambda own: own.check_container(own.stack[-2]), pickle.APPEND),
    pickle.SETITEM[0]: _after(lambda own: own.check_container(own.stack[-3]), pickle.SETITEM),
    **{
        code[0]: _after(lambda own: own.check_container(own.metastack[-1][-1]), code)
        for code in (pickle.APPENDS, pickle.SETITEMS, pickle.ADDITEMS)
    },
}


def dumps(value: Any, home: Path | None = None) -> bytes:
    """Pickle plain data and objects of the trial's own classes so that :func:`loads` accepts it.

    Raises:
        CheckpointError: ``value`` contains other objects.
    """
    try:
        data = pickle.dumps(value, protocol=4)
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError) as error:
        raise CheckpointError(f"cannot be pickled: {one_line(error)}") from None
    loads(data, home)
    return data


def loads(data: bytes, home: Path | None = None, stand_ins: StandIns | None = None) -> Any:
    """Unpickle plain data and objects of classes that the trial itself defines.

    The modules of the trial, in the directory ``home``, must be imported already. Classes and
    functions in ``stand_ins``, by module and name, are used in place of others.

    Raises:
        CheckpointError: the pickle names any other class or a function, or is damaged.
    """
    try:
        value = _Unpickler(data, home, stand_ins or {}).load()
        if _size(value, {}) > _BUDGET + len(data):
            raise ValueError("it refers to the same data too often")
    except CheckpointError:
        raise
    except Exception as error:  # damaged opcodes raise anything
        reason = one_line(error).removeprefix("ValueError: ")
        raise CheckpointError(f"damaged pickle: {reason}") from None
    return value


def _is_in(value: Any, values: Iterable[Any]) -> bool:
    return any(value is other for other in values)


def _size(value: Any, known: dict[int, int], depth: int = 0) -> int:
    """Return the size of plain data, counting shared objects once per reference."""
    if depth > _DEPTH:
        raise ValueError(f"it is nested more than {_DEPTH} deep")
    if not isinstance(value, _CONTAINERS):
        return 1 + len(value) if isinstance(value, str | bytes) else getattr(value, "nbytes", 1)
    if id(value) not in known:
        parts = [*value.items()] if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_size(part, known, depth + 1) for part in parts)
    return known[id(value)]
