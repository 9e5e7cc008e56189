"""``x.shape[-1].value`` becomes ``x.shape[-1]``: since TensorFlow 2 a dimension is a number.

Where it may be no tensor, ``legacy_keras.dimension`` looks at it when it runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, Replace
from pedl2det.rules.cases import Case, pedl_trial

ID = "P031"
NAME = "dimensions"


def check(trial: Trial) -> Iterable[Fix]:
    """Drop ``.value`` after a dimension of a tensor; of anything else, if it has none."""
    for source in trial.modules:
        for node in source.names.of(ast.Attribute):
            shaped = _shaped(node.value) if node.attr == "value" else None
            if shaped is not None and isinstance(node.ctx, ast.Load):
                code = "{size}" if _is_tensor(trial, shaped) else "legacy_keras.dimension({size})"
                edit = Replace(node, code, {"size": node.value})
                yield Fix(ID, source, node, (edit,))


def _shaped(node: ast.expr) -> ast.expr | None:
    """What ``x.shape[0]`` or ``x.get_shape()[0]`` is a dimension of."""
    match node:
        case ast.Subscript(value=ast.Attribute(value=shaped, attr="shape")):
            return shaped
        case ast.Subscript(value=ast.Call(func=ast.Attribute(value=shaped, attr="get_shape"))):
            return shaped
    return None


def _is_tensor(trial: Trial, node: ast.expr) -> bool:
    """Whether a value certainly comes from TensorFlow: from a function, or a layer of it."""
    for origin in trial.flow.origins(node):
        made: ast.AST = origin.node
        while isinstance(made, ast.Call):
            made = made.func
            if isinstance(made, ast.Name):
                found = trial.flow.origins(made)
                made = found[0].node if isinstance(found[0].node, ast.Call) else made
        if origin.path or not trial.today(made).startswith("tensorflow."):
            return False
    return True


_TENSORS = """\
import tensorflow as tf


def width(rows):
    layer = tf.keras.layers.Dense(4)
    x = layer(tf.convert_to_tensor(rows))
    return x.shape[-1].value, x.get_shape()[1].value
"""
_ANY = "def depth(x):\n    return x.shape[-1].value\n"

CASES = (
    Case(
        pedl_trial(_TENSORS),
        {"net.py": _TENSORS.replace(".value", "")},
    ),
    Case(  # it may be something of the project's own
        pedl_trial(_ANY),
        {
            "net.py": "import legacy_keras\n\n\n"
            "def depth(x):\n    return legacy_keras.dimension(x.shape[-1])\n"
        },
    ),
    Case(
        pedl_trial("def first(enum):\n    return enum[0].value\n"),
        {"net.py": "def first(enum):\n    return enum[0].value\n"},
    ),
)
