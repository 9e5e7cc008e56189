"""Hyperparameter specs for configs written in Python (PEDL 0.11, Determined 0.12).

Each function returns the mapping that a YAML config would contain.
"""

from __future__ import annotations

from typing import Any

Spec = dict[str, Any]


def Constant(value: Any) -> Spec:  # noqa: N802 - the documented name
    """A constant."""
    return {"type": "const", "val": value}


def Integer(minval: int, maxval: int) -> Spec:  # noqa: N802
    """An integer between ``minval`` and ``maxval``."""
    return {"type": "int", "minval": minval, "maxval": maxval}


def Double(minval: float, maxval: float) -> Spec:  # noqa: N802
    """A number between ``minval`` and ``maxval``."""
    return {"type": "double", "minval": minval, "maxval": maxval}


def Log(minval: float, maxval: float, base: float = 10.0) -> Spec:  # noqa: N802
    """``base`` to the power of a number between ``minval`` and ``maxval``."""
    return {"type": "log", "minval": minval, "maxval": maxval, "base": base}


def Categorical(vals: list[Any]) -> Spec:  # noqa: N802
    """One of the values in ``vals``."""
    return {"type": "categorical", "vals": vals}
