"""Cases of P033."""

from __future__ import annotations

from rule_cases.cases import Case, pedl_trial

_BARE = """\
from tensorflow import float32, to_float, to_int32


def whole(x):
    return to_float(to_int32(x)), float32
"""
_BARE_AFTER = """\
from tensorflow import cast, float32, int32


def whole(x):
    return cast(cast(x, int32), float32), float32
"""
_HANDED_ON = """\
import tensorflow as tf


def floats(rows, *given):
    return map(tf.{v1}to_float, rows), tf.{v1}to_float(*given)
"""

CASES = (
    Case(pedl_trial(_BARE), {"net.py": _BARE_AFTER}),
    Case(
        pedl_trial(_HANDED_ON.replace("{v1}", "")),
        {"net.py": _HANDED_ON.replace("{v1}", "compat.v1.")},
    ),
)
