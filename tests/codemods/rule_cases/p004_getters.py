"""Cases of P004."""

from __future__ import annotations

from rule_cases.cases import Case, pedl_trial

_HANDED_ON = """\
import pedl


def widths(names):
    return list(map(pedl.get_hyperparameter, names))
"""
_HANDED_ON_AFTER = """\
import legacy_keras


def widths(names):
    return list(map(legacy_keras.get_hyperparameter, names))
"""
_OF_THE_TRIAL = """\
def get_hyperparameter(name):
    return {"width": 4}[name]


def width():
    return get_hyperparameter("width")
"""

CASES = (
    Case(pedl_trial(_HANDED_ON), {"net.py": _HANDED_ON_AFTER}),
    Case(pedl_trial(_OF_THE_TRIAL), {"net.py": _OF_THE_TRIAL}),
)
