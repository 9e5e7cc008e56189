"""Calls of NumPy that other code does today: ``np.asscalar(x)`` is ``x.item()``.

Lists of several lengths made an array of objects; now they need ``dtype=object``. Where it cannot
be seen whether all rows have one length, the call stays, and NumPy says so if they have not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.trial import Trial
from pedl2det.fixes import AddArgument, Fix, Form, Remark, Replace

ID = "P013"
NAME = "numpy"

#: What a call with one argument, which is ``{a}``, becomes.
_CALLS = {
    "numpy.asscalar": "{a}.item()",
    "numpy.asfarray": "np.asarray({a}, dtype=float)",
    "numpy.msort": "np.sort({a}, axis=0)",
    "numpy.rank": "np.ndim({a})",
}


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite calls of NumPy that need more than another name."""
    for reference in trial.uses(*_CALLS):
        call = reference.call
        if call is not None and len(call.args) == 1 and not call.keywords:
            edit = Replace(call, _CALLS[reference.dotted], {"a": call.args[0]})
            imports = ("import numpy as np",) if "np." in edit.code else ()
            yield Fix(ID, reference.source, call, (edit,), imports=imports)
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
            yield Fix(ID, reference.source, call, (replaced,), support=(piece,), form=Form.FAITHFUL)


def _rows(trial: Trial, node: ast.expr) -> str:
    """Whether the rows of a list have one length: ``even``, ``ragged`` or ``unknown``."""
    answers = {_rows_of(trial, origin.node) for origin in trial.flow.origins(node)}
    if answers == {"ragged"}:
        return "ragged"
    return "even" if answers == {"even"} else "unknown"


def _rows_of(trial: Trial, node: ast.AST) -> str:
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
