"""Stand-ins for TensorFlow, NumPy, pandas and the trial APIs, which record what is called.

A stand-in has every attribute and can be called, indexed and computed with. Each call is recorded
with its arguments, named as the signature names them; reading hyperparameters is not recorded.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from variants.signatures import KNOWN

#: Packages that are stood in for, with all their modules.
PACKAGES = frozenset({"tensorflow", "keras", "numpy", "pandas", "pedl", "determined", "zipfile"})
_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "gt", "lt", "ge", "le")


class Recorder:
    """What the stand-ins of one run record.

    Attributes:
        events: calls and operations, in order.
        functions: functions of the trial that were handed to something, by name.
        instances: objects of the trial that were handed to something.
    """

    def __init__(self) -> None:
        self.events: list[str] = []
        self.functions: dict[str, FunctionType] = {}
        self.instances: list[Instance] = []
        self._calls: Counter[str] = Counter()
        self._bases: dict[str, type] = {}

    def record(self, path: str, *parts: str) -> StandIn:
        """Record one event; return the stand-in for its result."""
        self._calls[path.split(".")[0]] += 1
        self.events.append(f"{path}({', '.join(parts)})")
        return StandIn(self, f"#{len(self.events)}")

    def calls_on(self, path: str) -> int:
        """Return how often methods of a result were called: each could change it."""
        owner = path.split(".")[0]
        return self._calls[owner] if owner.startswith("#") else 0

    def base(self, path: str) -> type:
        """Return the class that stands in for one that the trial extends."""
        kind = TrialStandIn if path.endswith("Trial") else Instance
        if path not in self._bases:
            self._bases[path] = type("Base", (kind,), {"_recorder": self, "_path": path})
        return self._bases[path]

    def text(self, value: Any) -> str:
        """Return how a value is recorded; it does not depend on names within the trial."""
        if isinstance(value, ModuleStandIn):
            return value._path
        if isinstance(value, StandIn):
            is_read_later = "." in value._path and value._calls
            return f"{value._path} after {value._calls}" if is_read_later else value._path
        if isinstance(value, Instance):
            if not any(one is value for one in self.instances):
                self.instances.append(value)
            return f"<{type(value)._path}>"
        if isinstance(value, FunctionType):
            self.functions[value.__name__] = value
            return f"<function {value.__name__}>"
        if isinstance(value, type):
            return f"<class of {getattr(value, '_path', value.__name__)}>"
        if isinstance(value, dict):
            items = sorted(f"{key!r}: {self.text(one)}" for key, one in value.items())
            return f"{{{', '.join(items)}}}"
        if isinstance(value, zip | map):
            value = list(value)
        if isinstance(value, list | tuple):
            return f"{type(value).__name__}[{', '.join(map(self.text, value))}]"
        if isinstance(value, slice):
            return f"slice[{', '.join(map(self.text, (value.start, value.stop, value.step)))}]"
        return repr(value)

    def arguments(self, path: str, given: tuple[Any, ...], named: dict[str, Any]) -> list[str]:
        """Return the arguments of a call, by name where the signature is known."""
        names = KNOWN.get(path.split(".")[-1], ())
        by_name = dict(zip(names, given, strict=False)) | named
        rest = given[len(names) :]
        texts = [self.text(one) for one in rest]
        return texts + sorted(f"{name}={self.text(one)}" for name, one in by_name.items())


class StandIn:
    """A value that is not there: the attribute of a module, or what a call returned."""

    def __init__(self, recorder: Recorder, path: str) -> None:
        self._recorder, self._path = recorder, path
        self._calls = recorder.calls_on(path)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn(self._recorder, f"{self._path}.{name}")

    def __call__(self, *given: Any, **named: Any) -> Any:
        arguments = self._recorder.arguments(self._path, given, named)
        return self._recorder.record(self._path, *arguments)

    def __getitem__(self, key: Any) -> StandIn:
        return self._recorder.record("getitem", self._path, self._recorder.text(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        text = self._recorder.text
        self._recorder.record("setitem", self._path, text(key), text(value))

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (self._recorder.base(self._path),)

    def __iter__(self) -> Iterator[StandIn]:
        return iter([self[0], self[1]])

    def __len__(self) -> int:
        self._recorder.record("len", self._path)
        return 40

    def __float__(self) -> float:
        self._recorder.record("float", self._path)
        return 2.0

    def __int__(self) -> int:
        self._recorder.record("int", self._path)
        return 3

    def __enter__(self) -> StandIn:
        return self._recorder.record("enter", self._path)

    def __exit__(self, *_: object) -> None:
        self._recorder.record("exit", self._path)

    def __neg__(self) -> StandIn:
        return self._recorder.record("neg", self._path)


def _operator(name: str) -> Callable[[StandIn, Any], StandIn]:
    def operate(self: StandIn, other: Any) -> StandIn:
        return self._recorder.record(name, self._path, self._recorder.text(other))

    return operate


for _name in (*_OPERATORS, *(f"r{name}" for name in _OPERATORS)):
    setattr(StandIn, f"__{_name}__", _operator(_name))


class ModuleStandIn(ModuleType):
    """A module of a package that is stood in for.

    Args:
        recorder: where calls are recorded.
        path: its name.
        known: attributes that are no stand-ins.
    """

    def __init__(self, recorder: Recorder, path: str, known: dict[str, Any]) -> None:
        super().__init__(path)
        self._recorder, self._path = recorder, path
        self.__path__: list[str] = []
        vars(self).update(known)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn(self._recorder, f"{self._path}.{name}")


class Instance:
    """What classes of the trial inherit from a class that is stood in for."""

    _recorder: Recorder
    _path: str

    def __init__(self, *given: Any, **named: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn(self._recorder, f"<{self._path}>.{name}")

    def compile(self, *given: Any, **named: Any) -> None:
        """Record the call of `super().compile`."""
        path = f"<{self._path}>.compile"
        self._recorder.record(path, *self._recorder.arguments(path, given, named))


class TrialStandIn(Instance):
    """What a trial inherits: nothing that it does not define."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the trial has no {name}")


def is_method(value: object, name: str) -> bool:
    """Return whether a class of the trial defines a method."""
    return inspect.isfunction(getattr(type(value), name, None))
