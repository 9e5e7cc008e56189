"""Names under which standalone Keras 2.2.4 computed something else.

Its ``hinge`` losses took labels of 0 and 1 as they are. P009 writes its optimizers, and P027 lets
its layers take their old arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis import old_keras
from pedl2det.analysis.models import is_certain, losses_and_metrics
from pedl2det.analysis.old_keras import is_standalone
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, rewrite
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
    for value in losses_and_metrics(trial, of_standalone=True):
        members = trial.flow.members(value)
        is_other = any(getattr(member, "value", None) in _LOSSES for member in members)
        if is_other or not is_certain(trial, value):
            yield rewrite(value, f"{MODULE}.standalone_losses({{value}})", {"value": value})


EXAMPLE = """\
--- net.py
- import keras
+ import legacy_keras
+
- loss = keras.losses.squared_hinge
+ loss = legacy_keras.squared_hinge
"""
