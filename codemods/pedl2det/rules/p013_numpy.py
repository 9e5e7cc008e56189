"""``np.array`` of lists that may have several lengths becomes a function.

It gives an array of several lengths ``dtype=object``, which it had by itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, Replace
from pedl2det.rules.cases import Case, pedl_trial

ID = "P013"
NAME = "numpy"


def check(trial: Trial) -> Iterable[Fix]:
    """Rewrite calls with one argument that has rows of several lengths, or may have."""
    for reference in trial.uses("numpy.array", "numpy.asarray"):
        call = reference.call
        if call is None or len(call.args) != 1 or call.keywords:
            continue
        given = call.args[0]
        is_shown = isinstance(given, ast.List | ast.Tuple)
        may_be = any(_may_be_ragged(one.node) for one in trial.flow.origins(given))
        if may_be or (trial.mended and not is_shown):
            piece = "ragged_" + reference.dotted.rpartition(".")[2]
            replaced = Replace(call.func, f"legacy_keras.{piece}")
            yield Fix(ID, reference.source, call, (replaced,))


def _may_be_ragged(node: ast.AST) -> bool:
    """Whether the rows of a list may have several lengths."""
    match node:
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            rows = [one.elts for one in elements if isinstance(one, ast.List | ast.Tuple)]
            return len({len(one) for one in rows}) > 1
        case ast.Call(func=ast.Attribute(attr="texts_to_sequences")):
            return True
        case ast.ListComp(elt=ast.Call(func=ast.Attribute(attr="split"))):
            return True
        case ast.ListComp(elt=ast.ListComp() as inner):
            return any(one.ifs for one in inner.generators)
    return False


_UNKNOWN = """\
import numpy as np


def words(lines):
    return np.array([line.split() for line in lines])
"""
_UNKNOWN_AFTER = """\
import legacy_keras


def words(lines):
    return legacy_keras.ragged_array([line.split() for line in lines])
"""
_EVEN = """\
import numpy as np


def pairs(lines):
    return np.array([[1, 2], [3, 4]]), np.array([int(line) for line in lines])
"""

CASES = (
    Case(pedl_trial(_UNKNOWN), {"net.py": _UNKNOWN_AFTER}),
    Case(pedl_trial(_EVEN), {"net.py": _EVEN}),
)
