"""Whether a value is certainly a NumPy array."""

from __future__ import annotations

import ast

from pedl2det.analysis.flow import Origin
from pedl2det.analysis.trial import Trial

#: Functions of NumPy that return an array, whatever they are given.
_MAKERS = frozenset(
    (
        *("append", "arange", "array", "asarray", "asanyarray", "ascontiguousarray", "atleast_1d"),
        *("broadcast_to", "column_stack", "concatenate", "copy", "dstack", "empty", "empty_like"),
        *("expand_dims", "eye", "float32", "float64", "frombuffer", "fromfile", "fromfunction"),
        *("fromiter", "full", "full_like", "genfromtxt", "hstack", "identity", "linspace"),
        *("loadtxt", "nan_to_num", "ones", "ones_like", "pad", "roll", "stack", "tile", "vstack"),
        *("where", "zeros", "zeros_like", "as_strided"),
    )
)
#: Functions of NumPy that return a table or a series of pandas where they are given one.
_OF_ARRAYS = frozenset(
    (
        *("abs", "add", "clip", "delete", "divide", "exp", "flip", "insert", "log", "log1p", "mod"),
        *("moveaxis", "multiply", "repeat", "reshape", "round", "sqrt", "square", "squeeze"),
        *("subtract", "swapaxes", "take", "transpose"),
    )
)
_RANDOM = frozenset(
    (
        *("normal", "permutation", "rand", "randint", "randn", "random", "random_sample"),
        *("standard_normal", "uniform"),
    )
)
#: Methods of an array that return an array.
_METHODS = frozenset(
    (
        *("astype", "clip", "copy", "flatten", "ravel", "repeat", "reshape", "round"),
        *("squeeze", "swapaxes", "take", "transpose"),
    )
)


def is_array(trial: Trial, node: ast.expr, depth: int = 0) -> bool:
    """Whether an expression is an array wherever it may come from."""
    found = trial.flow.origins(node)
    return bool(found) and depth < 8 and all(_is_array(trial, one, depth) for one in found)


def _is_array(trial: Trial, origin: Origin, depth: int) -> bool:
    node, path = origin.node, origin.path
    match node:
        case ast.Call(func=func):
            dotted = _meaning(trial, func)
            name = dotted.rpartition(".")[2]
            if name == "load_data" and ".datasets." in dotted:  # ((x, y), (x, y))
                return len(path) == 2
            if path:
                return dotted == "numpy.load" and len(path) == 1
            if dotted.startswith("numpy."):
                if name in _OF_ARRAYS:
                    return bool(node.args) and is_array(trial, node.args[0], depth + 1)
                makers = _RANDOM if ".random." in dotted else _MAKERS
                return name in makers and bool(node.args)
            if name in ("to_categorical", "pad_sequences"):
                return True
            if isinstance(func, ast.Attribute):
                is_method = func.attr in _METHODS and is_array(trial, func.value, depth + 1)
                return func.attr == "to_numpy" or is_method
        case ast.BinOp(left=left, right=right) if not path:
            sides = [_is_number(one) or is_array(trial, one, depth + 1) for one in (left, right)]
            return all(sides) and not (_is_number(left) and _is_number(right))
        case ast.Subscript(value=value, slice=key) if not path:
            is_one = isinstance(key, ast.Constant)
            if not is_one and is_array(trial, value, depth + 1):
                return True
            loaded = trial.flow.origins(value)
            return bool(loaded) and all(_is_archive(trial, one) for one in loaded)
        case ast.Attribute(attr="values") if not path:
            return True  # of a table of pandas
    return False


def _meaning(trial: Trial, func: ast.expr) -> str:
    """The dotted name of a function, also through a local name of its module."""
    dotted = trial.modules.meaning(func)
    if dotted is None and isinstance(func, ast.Attribute):
        found = {trial.modules.meaning(one.node) for one in trial.flow.origins(func.value)}
        if len(found) == 1 and None not in found:
            return f"{found.pop()}.{func.attr}"
    return dotted or ""


def _is_archive(trial: Trial, origin: Origin) -> bool:
    """Whether a value is what ``np.load`` returns for an archive, or ``with`` binds it."""
    call = origin.node
    return isinstance(call, ast.Call) and trial.modules.meaning(call.func) == "numpy.load"


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)
