"""Whether a value is certainly a NumPy array."""

from __future__ import annotations

import ast

from pedl2det.analysis.flow import Origin
from pedl2det.analysis.trial import Trial

#: Functions that return an array, whatever they are given.
_MAKERS = frozenset(
    f"numpy.{name}"
    for name in (
        *("arange", "array", "asarray", "concatenate", "expand_dims", "frombuffer", "full"),
        *("hstack", "linspace", "loadtxt", "ones", "stack", "vstack", "where", "zeros"),
        "zeros_like",
    )
)
#: Methods of an array that return an array.
_METHODS = frozenset({"astype", "copy", "flatten", "ravel", "reshape", "transpose"})


def is_array(trial: Trial, node: ast.expr, depth: int = 0) -> bool:
    """Whether an expression is an array wherever it may come from."""
    found = trial.flow.origins(node)
    return bool(found) and depth < 8 and all(_is_array(trial, one, depth) for one in found)


def _is_array(trial: Trial, origin: Origin, depth: int) -> bool:
    match origin.node:
        case ast.Call(func=func):
            dotted = trial.modules.meaning(func) or ""
            if isinstance(func, ast.Attribute) and func.attr == "load_data":  # ((x, y), (x, y))
                modules = [trial.today(one.node) for one in trial.flow.origins(func.value)]
                is_keras = all(one.startswith("tensorflow.keras.datasets.") for one in modules)
                return is_keras and len(origin.path) == 2
            if origin.path:
                return False
            if dotted in _MAKERS or dotted.endswith((".to_categorical", ".pad_sequences")):
                return True
            if isinstance(func, ast.Attribute) and func.attr in _METHODS:
                return is_array(trial, func.value, depth + 1)
        case ast.BinOp(left=left, right=right) if not origin.path:
            parts = [one for one in (left, right) if not isinstance(one, ast.Constant)]
            return bool(parts) and all(is_array(trial, one, depth + 1) for one in parts)
        case ast.Subscript(value=value, slice=ast.Slice()) if not origin.path:
            return is_array(trial, value, depth + 1)
        case ast.Attribute(attr="values") if not origin.path:
            return True  # of a table of pandas
    return False
