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
from pedl2det.analysis.callbacks import watches_validation
from pedl2det.analysis.flow import Way
from pedl2det.analysis.spelling import spell
from pedl2det.analysis.trial import TRIALS, Reference, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Edit, Fix, Remark, Replace
from pedl2det.rules.cases import Case, pedl_trial

ID = "P010"
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
    assert isinstance(reference.node, ast.expr)
    source, node = reference.source, reference.node
    if row.same and row.new is not None and not row.new.startswith("{"):
        found = spell(source, row.new, like=node)
        edits: list[Edit] = []
        if found.code != ast.unparse(node):
            edits.append(Replace(node, found.code))
        call = reference.call
        arguments = old_keras.call_edits(call, row) if call is not None else []
        if arguments is None or (call is None and row.defaults):
            given = ", ".join(f"{name}={value}" for name, value in row.defaults.items())
            message = f"`{ast.unparse(node)}` has other arguments today, and not all are visible"
            help_ = f"partial({found.code}, {given})"
            yield Remark(ID, source, node, Kind.LEFT, message, help_)
        elif edits or arguments or found.imports:
            yield Fix(ID, source, node, (*edits, *arguments), imports=found.imports)
    elif row.support is not None:
        edit = Replace(node, f"legacy_keras.{row.support}")
        is_session = row.support in ("Session", "get_session")
        is_stale = is_session and _may_be_stale(trial, reference.call)
        notes = ((Kind.DIFFERENT, _EVALUATED_ONCE),) if is_stale else ()
        yield Fix(ID, source, node, (edit,), notes=notes)
    else:
        text = ast.unparse(node)
        yield Remark(ID, source, node, Kind.LEFT, f"`{text}` does not work any more", row.write)


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


_MOVED = """\
import tensorflow as tf
from keras.layers.merge import concatenate
from keras.utils import to_categorical


def targets(rows):
    return to_categorical(rows, 3)


def score(parts):
    return tf.log(concatenate(parts))
"""
_MOVED_AFTER = """\
import tensorflow as tf
from tensorflow.keras.layers import concatenate
from tensorflow.keras.utils import to_categorical


def targets(rows):
    return to_categorical(rows, 3)


def score(parts):
    return tf.math.log(concatenate(parts))
"""
_SESSION = """\
from keras import backend as K


def value(tensor):
    return K.get_session().run(tensor)
"""
_SESSION_AFTER = """\
import legacy_keras


def value(tensor):
    return legacy_keras.get_session().run(tensor)
"""
_NO_TENSOR = """\
import tensorflow as tf

session = tf.Session(config=tf.ConfigProto())
tf.keras.backend.set_session(session)
print(tf.keras.backend.get_session().run(tf.norm([3.0, 4.0])))
"""
_NO_TENSOR_AFTER = """\
import tensorflow as tf

import legacy_keras

session = legacy_keras.Session(config=tf.compat.v1.ConfigProto())
tf.compat.v1.keras.backend.set_session(session)
print(legacy_keras.get_session().run(tf.norm([3.0, 4.0])))
"""
_OF_THE_TRIAL = """\
import numpy as np


class Table:
    float = 4


def rows(table):
    return np.float32(Table.float), table.float
"""
_GONE = """\
import pedl

EXPERIMENT = pedl.Experiment()
"""
_GONE_AFTER = """\
import pedl

# TODO(pedl2det P010): `pedl.Experiment` does not work any more
#   define a TFKerasTrial
EXPERIMENT = pedl.Experiment()
"""

CASES = (
    Case(pedl_trial(_MOVED), {"net.py": _MOVED_AFTER}),
    Case(pedl_trial(_SESSION), {"net.py": _SESSION_AFTER}, "the tensor keeps the value"),
    Case(pedl_trial(_NO_TENSOR), {"net.py": _NO_TENSOR_AFTER}),
    Case(pedl_trial(_OF_THE_TRIAL), {"net.py": _OF_THE_TRIAL}),
    Case(pedl_trial(_GONE), {"net.py": _GONE_AFTER}, "does not work any more", "begun"),
)
