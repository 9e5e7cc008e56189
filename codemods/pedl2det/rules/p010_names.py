"""Names of PEDL, Keras, TensorFlow 1 and NumPy that have moved get today's names.

What each old name is called now, and which arguments have other names or defaults, stands in the
table of ``pedl2det_names``. A name without a public successor becomes a function of the same
behaviour in ``legacy_keras``; what nothing serves is marked.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

import pedl2det_names as names
from pedl2det.analysis import old_keras
from pedl2det.analysis.flow.values import Way
from pedl2det.analysis.models import watches_validation
from pedl2det.analysis.trial import TRIALS, Reference, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, Remark, rewrite

NAME = "names"

#: Names that a rule of their own rewrites.
_OWN_RULE = (
    *("pedl.get_", "pedl.util.", "pedl.trial.get_", "pedl.trial_controller."),
    *("determined.trial_controller.", "pedl.frameworks.keras.wrap_dataset", "numpy.array"),
    *("determined.create", "determined.keras.init", "determined.experimental.keras.init"),
    "numpy.asarray",
    *names.LOADERS,
)
_EVALUATED_ONCE = (
    "a session computed a tensor anew in each `run`; without a graph the tensor keeps the value of "
    "its creation: create it where its value is read"
)
#: Names of the optimizers' module that are no optimizers.
_OPTIMIZERS = [f"{old_keras.OPTIMIZERS}.{one}" for one in ("get", "deserialize", "Optimizer")]


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite every old name that the table has."""
    written_for = old_keras.age(trial)
    for reference in trial.references:
        row = old_keras.meant(reference, written_for)
        if row is None or reference.dotted.startswith(_own_rule(trial)):
            continue
        if reference.is_import:
            continue
        if old_keras.is_optimizer(row) or old_keras.is_layer(row) or row.new in _OPTIMIZERS:
            continue  # P009 and P021
        call = reference.call
        if call is not None and watches_validation(trial, call):
            continue  # P011 has another class for it
        yield from _rewritten(trial, reference, row)


def _rewritten(trial: Trial, reference: Reference, row: names.Name) -> Iterable[Fix | Remark]:
    node, call, code = reference.node, reference.call, ast.unparse(reference.node)
    assert isinstance(node, ast.expr)
    if row.same and row.new is not None and not row.new.startswith("{"):
        arguments = old_keras.call_edits(call, row) if call is not None else []
        if arguments is None or (call is None and row.defaults):
            given = ", ".join(f"{name}={value}" for name, value in row.defaults.items())
            message = f"`{code}` has other arguments today, and not all are visible"
            yield Remark(node, message, f"partial({row.new}, {given})")
        else:
            yield from old_keras.respelled(reference.source, node, row.new, arguments)
    elif row.support is not None:
        is_stale = row.support in ("Session", "get_session") and _may_be_stale(trial, call)
        notes = ((Kind.DIFFERENT, _EVALUATED_ONCE),) if is_stale else ()
        yield rewrite(node, f"legacy_keras.{row.support}", notes=notes)
    else:
        yield Remark(node, f"`{code}` does not work any more", row.write)


def _may_be_stale(trial: Trial, call: ast.Call | None) -> bool:
    """Whether a session, which this call creates, may evaluate what was created elsewhere."""
    uses = [] if call is None else trial.flow.uses(call)
    is_harmless = [
        use.way is Way.ARGUMENT  # of set_session
        or (isinstance(use.around, ast.Call) and all(map(_is_call, use.around.args)))
        for use in uses
    ]
    return not uses or not all(is_harmless)


def _is_call(node: ast.expr) -> bool:
    return isinstance(node, ast.Call)


def _own_rule(trial: Trial) -> tuple[str, ...]:
    """The names that a rule of their own rewrites in this trial."""
    if not trial.carried:
        return _OWN_RULE
    return (*(one for one in _OWN_RULE if one not in names.LOADERS), *TRIALS)


EXAMPLE = """\
--- net.py
  import tensorflow as tf
- from keras.layers.merge import concatenate
+ from tensorflow.keras.layers import concatenate
- from keras.utils import to_categorical
+ from tensorflow.keras.utils import to_categorical


  def targets(rows):
      return to_categorical(rows, 3)


  def score(parts):
-     return tf.log(concatenate(parts))
+     return tf.math.log(concatenate(parts))
"""
