"""``x.shape[-1].value`` becomes ``x.shape[-1]``: since TensorFlow 2 a dimension is a number."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, Replace
from pedl2det.rules.cases import Case, pedl_trial

ID = "P031"
NAME = "dimensions"


def check(trial: Trial) -> Iterable[Fix]:
    """Drop ``.value`` after a dimension of a shape."""
    for source in trial.modules:
        for node in source.names.of(ast.Attribute):
            if node.attr == "value" and isinstance(node.ctx, ast.Load) and _is_dimension(node):
                edit = Replace(node, "{dimension}", {"dimension": node.value})
                yield Fix(ID, source, node, (edit,))


def _is_dimension(node: ast.Attribute) -> bool:
    match node.value:
        case ast.Subscript(
            value=ast.Attribute(attr="shape") | ast.Call(func=ast.Attribute(attr="get_shape"))
        ):
            return True
    return False


CASES = (
    Case(
        pedl_trial("def depth(x):\n    return x.shape[-1].value, x.get_shape()[1].value\n"),
        {"net.py": "def depth(x):\n    return x.shape[-1], x.get_shape()[1]\n"},
    ),
    Case(
        pedl_trial("def first(enum):\n    return enum[0].value\n"),
        {"net.py": "def first(enum):\n    return enum[0].value\n"},
    ),
)
