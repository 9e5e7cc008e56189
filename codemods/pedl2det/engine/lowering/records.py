"""How many records an array holds, as far as the script says it."""

from __future__ import annotations

import ast

from pedl2det.analysis.bindings import Binding
from pedl2det.analysis.flow import Origin
from pedl2det.engine.lowering.data import number
from pedl2det.engine.lowering.fits import Fits

_MOST = 12
_LOAD_DATA = ("keras.datasets.", "tensorflow.keras.datasets.", "tensorflow.python.keras.datasets.")
_LEAST_LOADED = 100  #: records in the smallest part of the data sets of Keras
_SAME_LENGTH = ("astype", "copy", "reshape", "toarray", "todense")
_OF_FIRST = (
    *("to_categorical", "asarray", "array", "expand_dims", "float32", "ascontiguousarray"),
    *("pad_sequences", "normalize", "eye"),
)
_BY_SHAPE = ("zeros", "ones", "empty", "rand", "randn", "random_sample", "full")
_BY_SIZE = ("randint", "uniform", "normal", "random", "choice")


def records(fits: Fits, node: ast.expr, depth: int = 0) -> int | None:
    """The least number of records that an array may hold; None if the script does not say it."""
    if depth > _MOST:
        return None
    cut = _slice_of(node)
    if cut is not None:
        assert isinstance(node, ast.Subscript)
        return _of_slice(fits, node.value, cut.lower, cut.upper, depth + 1)
    found = [_of_origin(fits, one, depth + 1) for one in fits.flow.origins(node)]
    known = [one for one in found if one is not None]
    return min(known) if known and len(known) == len(found) else None


def _of_origin(fits: Fits, origin: Origin, depth: int) -> int | None:
    node = origin.node
    if isinstance(node, ast.Call):
        return _of_call(fits, node, origin, depth)
    if origin.path:
        return None
    match node:
        case ast.Name():
            return _of_name(fits, node, depth)
        case ast.BinOp(left=left, right=right):
            array = right if number(fits, left) is not None else left
            return records(fits, array, depth)
        case ast.List(elts=[first, *_]) | ast.Tuple(elts=[first, *_]):
            return records(fits, first, depth)
    return None


def _slice_of(node: ast.expr) -> ast.Slice | None:
    """The slice of the records of an array, ``x[:8]`` or ``x[:8, 0]``."""
    match node:
        case ast.Subscript(slice=ast.Slice(step=None) as cut):
            return cut
        case ast.Subscript(slice=ast.Tuple(elts=[ast.Slice(step=None) as cut, *_])):
            return cut
    return None


def _of_name(fits: Fits, node: ast.Name, depth: int) -> int | None:
    """A name that was changed in place, as by ``x /= 255``, is as long as before."""
    values = [one for one in fits.flow.bindings(node) if not one.augmented]
    if not values or any(one.value is None for one in values):
        return None
    found = [
        records(fits, one.value, depth) if not one.path else _member(fits, one, depth)
        for one in values
        if one.value is not None
    ]
    known = [one for one in found if one is not None]
    return min(known) if len(known) == len(found) else None


def _member(fits: Fits, binding: Binding, depth: int) -> int | None:
    assert binding.value is not None
    found = [_of_origin(fits, one, depth) for one in fits.flow.origins(binding.value, binding.path)]
    known = [one for one in found if one is not None]
    return min(known) if known and len(known) == len(found) else None


def _of_slice(
    fits: Fits, value: ast.expr, lower: ast.expr | None, upper: ast.expr | None, depth: int
) -> int | None:
    whole = records(fits, value, depth)
    if whole is None:
        return None
    first = _bound(fits, lower, 0, whole)
    last = _bound(fits, upper, whole, whole)
    return None if first is None or last is None else max(last - first, 0)


def _bound(fits: Fits, node: ast.expr | None, default: int, whole: int) -> int | None:
    if node is None:
        return default
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -1
    value = number(fits, node)
    if value is None:
        return None
    place = int(value) * sign
    return min(max(place + whole if place < 0 else place, 0), whole)


def _of_call(fits: Fits, call: ast.Call, origin: Origin, depth: int) -> int | None:
    meaning = fits.modules.meaning(call.func) or ""
    name = meaning.rpartition(".")[2] or getattr(call.func, "attr", "")
    if meaning.startswith(_LOAD_DATA) and name == "load_data":
        return _LEAST_LOADED
    if origin.path:
        return None
    if (
        isinstance(call.func, ast.Attribute)
        and call.func.attr in _SAME_LENGTH
        and not (meaning.startswith("numpy."))
    ):
        return records(fits, call.func.value, depth)
    if name in _OF_FIRST and call.args:
        return records(fits, call.args[0], depth)
    if meaning.startswith("numpy."):
        return _of_shape(fits, call, name)
    return None


def _of_shape(fits: Fits, call: ast.Call, name: str) -> int | None:
    """The first number of the shape that a call of NumPy is given."""
    shape: ast.expr | None = None
    if name in _BY_SHAPE and call.args:
        shape = call.args[0]
    elif name in _BY_SIZE:
        sizes = [one.value for one in call.keywords if one.arg == "size"]
        shape = sizes[0] if sizes else call.args[2] if len(call.args) > 2 else None
    if isinstance(shape, ast.Tuple) and shape.elts:
        shape = shape.elts[0]
    value = number(fits, shape) if shape is not None else None
    return None if value is None else int(value)
