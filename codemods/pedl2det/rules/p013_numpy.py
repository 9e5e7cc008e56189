"""Calls of NumPy that other code does today: ``np.asscalar(x)`` is ``x.item()``.

Lists of several lengths made an array of objects; now they need ``dtype=object``. Where it cannot
be seen whether all rows have one length, the call stays, and NumPy says so if they have not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.spelling import Spelling, spell
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import AddArgument, Fix, Remark, Replace
from pedl2det.rules.cases import Case, pedl_trial

ID = "P013"
NAME = "numpy"

#: What a call with one argument, which is ``{a}``, becomes; ``{f}`` is the function that is there.
_CALLS = {
    "numpy.asscalar": ("numpy.item", "{a}.item()"),
    "numpy.asfarray": ("numpy.asarray", "{f}({a}, dtype=float)"),
    "numpy.msort": ("numpy.sort", "{f}({a}, axis=0)"),
    "numpy.rank": ("numpy.ndim", "{f}({a})"),
}


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite calls of NumPy that need more than another name."""
    for reference in trial.uses(*_CALLS):
        yield _rewritten(reference)
    for reference in trial.uses("numpy.array", "numpy.asarray"):
        call = reference.call
        if call is None or len(call.args) != 1 or call.keywords:
            continue
        rows = _rows(trial, call.args[0])
        if rows == "ragged":
            yield Fix(ID, reference.source, call, (AddArgument(call, "dtype=object"),))
        elif rows == "unknown":
            piece = "ragged_" + reference.dotted.rpartition(".")[2]
            replaced = Replace(call.func, f"legacy_keras.{piece}")
            yield Fix(ID, reference.source, call, (replaced,))


def _rewritten(reference: Reference) -> Fix | Remark:
    """A function that is gone, called or handed on."""
    source, node, call = reference.source, reference.node, reference.call
    assert isinstance(node, ast.expr)
    new, code = _CALLS[reference.dotted]
    found = Spelling("") if "{f}" not in code else spell(source, new, like=node)
    code = code.replace("{f}", found.code)
    if call is None:
        value = found.code if code == f"{found.code}({{a}})" else f"lambda a: {code}"
        is_bare = isinstance(source.names.parents[node], ast.Call | ast.keyword | ast.Assign)
        value = value.replace("{a}", "a")
        edit = Replace(node, value if is_bare else f"({value})")
        return Fix(ID, source, node, (edit,), imports=found.imports)
    if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        message = f"NumPy has no {reference.dotted.rpartition('.')[2]} any more"
        return Remark(ID, source, node, Kind.LEFT, message, code.replace("{a}", "a"))
    edit = Replace(call, code, {"a": call.args[0]})
    return Fix(ID, source, call, (edit,), imports=found.imports)


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


_GONE = """\
import numpy as np


def total(rows):
    return np.asscalar(np.sum(rows)), np.array([[1, 2], [3]])
"""
_GONE_AFTER = """\
import numpy as np


def total(rows):
    return np.sum(rows).item(), np.array([[1, 2], [3]], dtype=object)
"""
_HANDED_ON = """\
import numpy


def totals(rows):
    return map(numpy.asscalar, numpy.msort(rows)), map(numpy.rank, rows)
"""
_HANDED_ON_AFTER = """\
import numpy


def totals(rows):
    return map(lambda a: a.item(), numpy.sort(rows, axis=0)), map(numpy.ndim, rows)
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
_TYPED = """\
import numpy as np


def floats(rows, kind):
    return np.asfarray(rows, kind)
"""
_TYPED_AFTER = """\
import numpy as np


def floats(rows, kind):
    # TODO(pedl2det P013): NumPy has no asfarray any more
    #   np.asarray(a, dtype=float)
    return np.asfarray(rows, kind)
"""

CASES = (
    Case(pedl_trial(_GONE), {"net.py": _GONE_AFTER}),
    Case(pedl_trial(_HANDED_ON), {"net.py": _HANDED_ON_AFTER}),
    Case(pedl_trial(_UNKNOWN), {"net.py": _UNKNOWN_AFTER}),
    Case(pedl_trial(_EVEN), {"net.py": _EVEN}),
    Case(pedl_trial(_TYPED), {"net.py": _TYPED_AFTER}, "NumPy has no asfarray", "begun"),
)
