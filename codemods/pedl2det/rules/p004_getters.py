"""``pedl.get_hyperparameter`` and the other getters become methods of the context.

A function that asks gets the context from each of its callers. Where the context cannot be handed
on, ``legacy_keras`` asks for it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.getters import GETTERS, key_of, question
from pedl2det.analysis.trial import CONFIG_GETTERS, Trial
from pedl2det.fixes import Fix, Remark, Replace
from pedl2det.rules.cases import Case, pedl_trial

ID = "P004"
NAME = "getters"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite every use of a getter; where the context is out of reach, by a piece of its name."""
    for reference in trial.uses(*GETTERS):
        assert isinstance(reference.node, ast.expr)
        asked = question(trial, reference)
        is_old = reference.dotted in CONFIG_GETTERS and not trial.config_uses.is_plain
        if asked is not None and not is_old and trial.context.at(asked[0]) is not None:
            node, code = asked
            key = key_of(node)
            holes = {"key": key} if key is not None and "{key}" in code else {}
            edit = Replace(node, code, holes)
        else:
            edit = Replace(reference.node, f"legacy_keras.{reference.dotted.rpartition('.')[2]}")
        yield Fix(ID, reference.source, reference.node, (edit,))


_CALLED = """\
import pedl


def width():
    return pedl.get_hyperparameter("width")


class Net:
    def units(self):
        return width() * pedl.get_hyperparameter("scale")
"""
_CALLED_AFTER = """\
def width(context):
    return context.get_hparam("width")


class Net:
    def units(self):
        return width(self.context) * self.context.get_hparam("scale")
"""
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
    Case(pedl_trial(_CALLED), {"net.py": _CALLED_AFTER}),
    Case(pedl_trial(_HANDED_ON), {"net.py": _HANDED_ON_AFTER}),
    Case(pedl_trial(_OF_THE_TRIAL), {"net.py": _OF_THE_TRIAL}),
)
