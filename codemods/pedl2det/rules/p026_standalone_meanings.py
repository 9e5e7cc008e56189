"""Names under which standalone Keras 2.2.4 computed something else.

Its ``hinge`` losses took labels of 0 and 1 as they are, and ``Conv2D(32, 3, 3)`` meant a kernel of
3 by 3. P009 writes its optimizers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import pedl2det_names as names
from pedl2det.analysis import old_keras
from pedl2det.analysis.models import is_certain, losses_and_metrics
from pedl2det.analysis.old_keras import KERAS, is_standalone
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.fixes import Drop, Edit, Fix, Replace, rewrite
from pedl2det.support import MODULE

#: Losses that were other functions, by the names that Keras has for them.
_LOSSES = {
    "hinge": "hinge",
    "squared_hinge": "squared_hinge",
    "cosine": "cosine_proximity",
    "cosine_proximity": "cosine_proximity",
}


def check(trial: Trial) -> Iterable[Fix]:
    """Rewrite these names wherever a project uses standalone Keras."""
    if not old_keras.imports_standalone(trial):
        return
    for reference in trial.references:
        module, _, name = reference.dotted.rpartition(".")
        node = reference.node
        if not is_standalone(reference.dotted) or not isinstance(node, ast.expr):
            continue
        if module.rpartition(".")[2] in ("losses", "metrics", "objectives") and name in _LOSSES:
            yield rewrite(node, f"{MODULE}.{_LOSSES[name]}")
        elif name in names.CONVOLUTIONS and reference.call is not None:
            yield from _convolution(trial, reference, reference.call, names.CONVOLUTIONS[name])
    for value in losses_and_metrics(trial, of_standalone=True):
        members = trial.flow.members(value)
        is_other = any(getattr(member, "value", None) in _LOSSES for member in members)
        if is_other or not is_certain(trial, value):
            yield rewrite(value, f"{MODULE}.standalone_losses({{value}})", {"value": value})


def _convolution(trial: Trial, reference: Reference, call: ast.Call, sizes: int) -> Iterator[Fix]:
    """Write ``Conv2D(32, 3, 3)`` with its kernel as one argument."""
    values = call.args[1:]
    if len(values) != sizes or any(isinstance(argument, ast.Starred) for argument in call.args):
        return
    for node in (origin.node for size in values for origin in trial.flow.origins(size)):
        is_text = isinstance(node, ast.Constant) and not isinstance(node.value, int)
        if is_text or isinstance(node, ast.Tuple | ast.List):
            return  # a name such as "same", or a pair
    holes = {f"size{number}": size for number, size in enumerate(values)}
    kernel = f"({', '.join(f'{{{name}}}' for name in holes)})"
    edits: list[Edit] = [Replace(values[0], kernel, holes), *(Drop(size) for size in values[1:])]
    today = trial.today(call.func).rpartition(".")[2]
    yield from old_keras.respelled(reference.source, call.func, f"{KERAS}.layers.{today}", edits)


EXAMPLE = """\
--- net.py
- import keras
+ import legacy_keras
+
- loss = keras.losses.squared_hinge
+ loss = legacy_keras.squared_hinge
"""
