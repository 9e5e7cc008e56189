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
from pedl2det.analysis.old_keras import KERAS, call_edits, respelled
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, rewrite
from pedl2det_names import Age

NAME = "old-defaults"


def check(trial: Trial) -> Iterable[Fix]:
    """Write the old defaults out in every file of the project."""
    written_for = old_keras.age(trial)
    for reference in trial.references:
        row = old_keras.meant(reference, written_for)
        if row is not None and old_keras.is_layer(row) and not reference.is_import:
            yield from _use(reference, row)
    for call in trial.modules.of(ast.Call) if written_for is Age.TENSORFLOW_1 else ():
        match call:
            case ast.Call(func=ast.Name(id="getattr"), args=[module, name]) if trial.today(
                module
            ) == f"{KERAS}.layers" and not isinstance(name, ast.Constant):
                yield rewrite(call, "legacy_keras.layer_class({name})", {"name": name})


def _use(reference: Reference, row: names.Name) -> Iterable[Fix]:
    node, source, call = reference.node, reference.source, reference.call
    assert isinstance(node, ast.expr) and row.new is not None
    edits = call_edits(call, row) if call is not None else None
    if edits is not None or (call is None and _is_tested(source, node)):
        yield from respelled(source, node, row.new, edits or ())
        return
    piece = row.new.rpartition(".")[2]  # a class with the old defaults
    said = ", ".join(f"{name}={value}" for name, value in row.defaults.items())
    note = f"{ast.unparse(node)} had {said}; legacy_keras.{piece} has these defaults"
    yield rewrite(node, f"legacy_keras.{piece}", notes=((Kind.NOTE, note),))


def _is_tested(source: Source, node: ast.expr) -> bool:
    """Whether a class is only what ``isinstance`` is asked about."""
    parent = source.names.parents.get(node)
    if isinstance(parent, ast.Tuple):
        parent = source.names.parents.get(parent)
    return isinstance(parent, ast.Call) and ast.unparse(parent.func) in ("isinstance", "issubclass")


EXAMPLE = """\
--- net.py
  from tensorflow.keras import layers
- x = layers.LSTM(4)
+ x = layers.LSTM(4, recurrent_activation="hard_sigmoid")
"""
