"""Restore the state of an optimizer that another version of Keras may have saved.

Optimizers keep *slots*: one array for each trained weight, such as the moments of Adam. Three
families of optimizers name and order them differently:

===========================  ===========================  ====================================
family                       names                        order
===========================  ===========================  ====================================
Keras 2.11 and later         ``Adam/m/dense/kernel:0``,   by weight; counter ``iteration:0``
                             ``m/dense/kernel:0``
TensorFlow 1.14, Keras 2.3   ``Adam/dense/kernel/m:0``    by slot; counter ``Adam/iter:0``
before                       ``training/Adam/Variable:0`` by slot; counter ``Adam/iterations``
===========================  ===========================  ====================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from pedl2det_runtime.backends import graph_mode

Array = npt.NDArray[Any]
_COUNTER = "iteration"
_COUNTERS = {"iter", "iterations", _COUNTER}
#: The slots of each class before Keras 2.11, in their order, and what they are called since.
_SLOTS = {
    "SGD": {"momentum": "m"},
    "RMSprop": {"rms": "velocity", "momentum": "momentum", "mg": "average_gradient"},
    "Adagrad": {"accumulator": "accumulator"},
    "Adadelta": {"accum_grad": "accumulated_grad", "accum_var": "accumulated_delta_var"},
    "Adam": {"m": "m", "v": "v", "vhat": "vhat"},
    "Adamax": {"m": "m", "v": "u"},
    "Ftrl": {"accumulator": "accumulator", "linear": "linear"},
}
_NEW_SLOTS = {new for slots in _SLOTS.values() for new in slots.values()}
#: Name of the weight and variable or array, by slot.
Slots = dict[str, list[tuple[str, Any]]]


@dataclass(frozen=True)
class OptimizerState:
    """The state of an optimizer, as a file holds it."""

    names: tuple[str, ...]  #: the name of each array
    arrays: tuple[Array, ...]  #: the arrays
    kind: str = ""  #: the class of the optimizer; empty if the file does not say it

    def __post_init__(self) -> None:
        for name, array in self._counters():
            if array.size != 1 or array.dtype.kind not in "iu":
                raise ValueError(f"{name}: expected a whole number")

    @property
    def likely_kind(self) -> str:
        """The class of the optimizer, also if only the names of the arrays tell it."""
        scopes = [name.removeprefix("training/").partition("/")[0] for name in self.names]
        return self.kind or next((scope for scope in scopes if scope in _SLOTS), "")

    @property
    def steps(self) -> int | None:
        """The number of steps that the optimizer has made; None if the file does not say it."""
        return next((int(array.item()) for _, array in self._counters()), None)

    def _counters(self) -> list[tuple[str, Array]]:
        named = zip(self.names, self.arrays, strict=True)
        return [(name, array) for name, array in named if _is_counter(name)]


def restore(
    optimizer: Any, variables: list[Any], saved: OptimizerState, weights: Mapping[str, str]
) -> None:
    """Set the variables of an optimizer to a saved state.

    Slots go where their weights have gone; those of unknown weights go by their order. ``weights``
    has the names of the weights in the model, by their names in the file.

    Raises:
        ValueError: the state does not fit the optimizer. No variable has been changed.
    """
    kind = type(optimizer).__name__
    if saved.likely_kind not in ("", kind) and kind in _SLOTS:
        raise ValueError(f"it is the state of {saved.likely_kind}, the model has {kind}")
    names = [variable.name for variable in variables]
    if names == list(saved.names) and all(name == weights[name] for name in weights):
        pairs = list(zip(variables, saved.arrays, strict=True))
    else:
        own = _slots(kind, names, variables)
        if kind == "SGD" and not getattr(optimizer, "momentum", True):
            own.pop("m", None)  # it is there since Keras 2.11, and not used
        counts = [len(slot) for name, slot in own.items() if name != _COUNTER]
        slots = _slots(kind, saved.names, saved.arrays, max(counts, default=0))
        pairs = list(_matched(own, slots, weights))
    assign_all(pairs)


def assign_all(pairs: list[tuple[Any, Array]]) -> None:
    """Assign arrays to variables; if the shape of one differs, change none and raise."""
    for variable, array in pairs:
        if tuple(variable.shape) != array.shape:
            raise ValueError(
                f"{variable.name} has shape {tuple(variable.shape)}, not {array.shape}"
            )
    for variable, array in pairs:
        graph_mode.assign(variable, array)


def _matched(own: Slots, saved: Slots, weights: Mapping[str, str]) -> Iterable[tuple[Any, Array]]:
    """Pair variables with arrays, slot by slot."""
    for slot, arrays in saved.items():
        if slot not in own and any(array.any() for _, array in arrays):
            names = ", ".join(name for name in own if name != _COUNTER) or "none"
            raise ValueError(f"it has the slot {slot}, the optimizer has {names}")
    for slot, variables in own.items():
        arrays = saved.get(slot, [])
        if slot == _COUNTER and not arrays:
            continue  # the first optimizers of Keras did not save it
        if len(arrays) != len(variables):
            raise ValueError(
                f"it has {len(arrays)} arrays of the slot {slot}, the optimizer has "
                f"{len(variables)}"
            )
        named = {weights.get(name, name): array for name, array in arrays}
        if len(named) == len(arrays) and named.keys() == {name for name, _ in variables}:
            yield from ((variable, named[name]) for name, variable in variables)
        else:
            for (_, variable), (_, array) in zip(variables, arrays, strict=True):
                yield variable, array


def _slots(kind: str, names: Iterable[str], values: Iterable[Any], weights: int = 0) -> Slots:
    """Group variables or arrays by slot, under the names of Keras 2.11, with their weights."""
    named = list(zip(names, values, strict=True))
    is_new = any(_plain(name).rpartition("/")[2] == _COUNTER for name, _ in named)
    found: Slots = {}
    for number, (name, value) in enumerate(named):
        path, _, last = _plain(name).rpartition("/")
        weight = path.removeprefix("training/").partition("/")[2]
        if _is_counter(name):
            slot = _COUNTER
        elif "Variable" in last:  # of the first family: by position
            counted = sum(_is_counter(other) for other, _ in named)
            slot = _at(kind, (number - counted) // max(weights, 1))
        elif is_new:
            slot, _, weight = _plain(name).partition("/")
            if slot not in _NEW_SLOTS:  # it is the name of the optimizer
                slot, _, weight = weight.partition("/")
        else:
            slot = _SLOTS.get(kind, {}).get(last, last)
        found.setdefault(slot, []).append((weight, value))
    return found


def _at(kind: str, number: int) -> str:
    """Return a slot of the first optimizers of Keras, which did not name them."""
    slots = list(_SLOTS.get(kind, {}).values())
    return slots[number] if number < len(slots) else f"number {number + 1}"


def _is_counter(name: str) -> bool:
    return _plain(name).rpartition("/")[2] in _COUNTERS


def _plain(name: str) -> str:
    return name.partition(":")[0]
