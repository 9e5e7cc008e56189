"""Recurrent layers say the defaults that they were written for.

In TensorFlow 1 and standalone Keras, ``LSTM`` and ``GRU`` had
``recurrent_activation="hard_sigmoid"``, and ``GRU`` had ``reset_after=False``. A call that leaves
them out says them. A class that is used as a value, or called with hidden arguments, becomes one
with the old defaults.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

import pedl2det_names as names
from pedl2det.analysis import old_keras
from pedl2det.analysis.old_keras import KERAS, call_edits
from pedl2det.analysis.source import Source
from pedl2det.analysis.spelling import spell
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, Replace
from pedl2det.rules.cases import Case, pedl_trial
from pedl2det_names import Age

ID = "P021"
NAME = "old-defaults"


def check(trial: Trial) -> Iterable[Fix]:
    """Write the old defaults out in every file of the project."""
    written_for = old_keras.age(trial)
    for reference in trial.references:
        row = old_keras.meant(reference, written_for)
        if row is not None and old_keras.is_layer(row) and not reference.is_import:
            yield _use(reference, row)
    for call in trial.modules.of(ast.Call) if written_for is Age.TENSORFLOW_1 else ():
        match call:
            case ast.Call(func=ast.Name(id="getattr"), args=[module, name]) if trial.today(
                module
            ) == f"{KERAS}.layers" and not isinstance(name, ast.Constant):
                edit = Replace(call, "legacy_keras.layer_class({name})", {"name": name})
                yield Fix(ID, trial.modules.home(call), call, (edit,))


def _use(reference: Reference, row: names.Name) -> Fix:
    node, source = reference.node, reference.source
    assert isinstance(node, ast.expr) and row.new is not None
    call = reference.call
    is_tested = call is None and _is_tested(source, node)
    edits = call_edits(call, row) if call is not None else [] if is_tested else None
    if edits is None:  # a class with the old defaults
        piece = row.new.rpartition(".")[2]
        said = ", ".join(f"{name}={value}" for name, value in row.defaults.items())
        note = f"{ast.unparse(node)} had {said}; legacy_keras.{piece} has these defaults"
        edit = Replace(node, f"legacy_keras.{piece}")
        return Fix(ID, source, node, (edit,), notes=((Kind.NOTE, note),))
    if row.new == reference.dotted:
        return Fix(ID, source, node, tuple(edits))
    spelling = spell(source, row.new, like=node)
    if spelling.code != ast.unparse(node):
        edits = [Replace(node, spelling.code), *edits]
    return Fix(ID, source, node, tuple(edits), imports=spelling.imports)


def _is_tested(source: Source, node: ast.expr) -> bool:
    """Whether a class is only what ``isinstance`` is asked about."""
    parent = source.names.parents.get(node)
    if isinstance(parent, ast.Tuple):
        parent = source.names.parents.get(parent)
    return isinstance(parent, ast.Call) and ast.unparse(parent.func) in ("isinstance", "issubclass")


def _case(before: str, after: str, says: str = "") -> Case:
    return Case(pedl_trial(before), {"net.py": after}, says)


_TF = "from tensorflow.keras import layers\n"
_CELLS = """\
from tensorflow.keras.layers import GRU, LSTM

CELLS = {"gru": GRU, "lstm": LSTM}


def recurrent(kind, units):
    return CELLS[kind](units)
"""

CASES = (
    _case(
        _TF + "x = layers.LSTM(4)\n",
        _TF + 'x = layers.LSTM(4, recurrent_activation="hard_sigmoid")\n',
    ),
    _case(
        _TF + "x = layers.GRU(4, reset_after=True)\n",
        _TF + 'x = layers.GRU(4, reset_after=True, recurrent_activation="hard_sigmoid")\n',
    ),
    _case(
        "from keras.layers import LSTM\nx = LSTM(4, 'relu', 'sigmoid'), LSTM(2)\n",
        "from tensorflow.keras.layers import LSTM\n"
        "x = LSTM(4, 'relu', 'sigmoid'), LSTM(2, recurrent_activation=\"hard_sigmoid\")\n",
    ),
    _case(
        _CELLS,
        "import legacy_keras\n\n"
        + _CELLS.replace("from tensorflow.keras.layers import GRU, LSTM\n\n", "").replace(
            'GRU, "lstm": LSTM', 'legacy_keras.GRU, "lstm": legacy_keras.LSTM'
        ),
        "GRU had recurrent_activation",
    ),
    _case(
        _TF + "def make(options):\n    return layers.LSTM(4, **options)\n",
        "import legacy_keras\n\n\ndef make(options):\n    return legacy_keras.LSTM(4, **options)\n",
        "legacy_keras.LSTM has these defaults",
    ),
    _case(
        _TF + "def make(kind):\n    return getattr(layers, kind)(4)\n",
        "import legacy_keras\n\n\ndef make(kind):\n    return legacy_keras.layer_class(kind)(4)\n",
    ),
    _case(
        _TF + "def is_recurrent(x):\n    return isinstance(x, layers.LSTM)\n",
        _TF + "def is_recurrent(x):\n    return isinstance(x, layers.LSTM)\n",
    ),
)
