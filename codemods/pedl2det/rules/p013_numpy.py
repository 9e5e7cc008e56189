"""``np.array`` of lists of several lengths gets ``dtype=object``, which it had by itself.

Where it cannot be seen whether all rows have one length, a function decides when it runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.trial import Trial
from pedl2det.fixes import AddArgument, Fix, Replace
from pedl2det.rules.cases import Case, pedl_trial

ID = "P013"
NAME = "numpy"


def check(trial: Trial) -> Iterable[Fix]:
    """Rewrite calls with one argument that has rows of several lengths, or may have."""
    for reference in trial.uses("numpy.array", "numpy.asarray"):
        call = reference.call
        if call is None or len(call.args) != 1 or call.keywords:
            continue
        rows = _rows(trial, call.args[0])
        if rows == "ragged":
            yield Fix(ID, reference.source, call, (AddArgument(call, "dtype=object"),))
        elif rows == "unknown" or (trial.mended and not isinstance(call.args[0], ast.List)):
            piece = "ragged_" + reference.dotted.rpartition(".")[2]
            replaced = Replace(call.func, f"legacy_keras.{piece}")
            yield Fix(ID, reference.source, call, (replaced,))


def _rows(trial: Trial, node: ast.expr) -> str:
    """Whether the rows of a list have one length: ``even``, ``ragged`` or ``unknown``."""
    answers = {_rows_of(origin.node) for origin in trial.flow.origins(node)}
    if answers == {"ragged"}:
        return "ragged"
    return "even" if answers == {"even"} else "unknown"


def _rows_of(node: ast.AST) -> str:
    match node:
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            lengths = {
                len(one.elts) if isinstance(one, ast.List | ast.Tuple) else -1 for one in elements
            }
            is_ragged = len(lengths) > 1 and -1 not in lengths
            return "ragged" if is_ragged else "even"
        case ast.Call(func=ast.Attribute(attr="texts_to_sequences")):
            return "unknown"  # of one length by chance, if there are few texts
        case ast.ListComp(elt=ast.ListComp() as inner) if any(one.ifs for one in inner.generators):
            return "unknown"
        case ast.ListComp(elt=ast.Call(func=ast.Attribute(attr="split"))):
            return "unknown"
    return "even"


_RAGGED = """\
import numpy as np


def rows():
    return np.array([[1, 2], [3]])
"""
_RAGGED_AFTER = """\
import numpy as np


def rows():
    return np.array([[1, 2], [3]], dtype=object)
"""
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
    Case(pedl_trial(_RAGGED), {"net.py": _RAGGED_AFTER}),
    Case(pedl_trial(_UNKNOWN), {"net.py": _UNKNOWN_AFTER}),
    Case(pedl_trial(_EVEN), {"net.py": _EVEN}),
)
