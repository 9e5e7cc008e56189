"""``"accuracy"`` was the accuracy that fits the loss; since TensorFlow 2 it fits the shapes.

With ``binary_crossentropy`` and several labels for an example, and with
``sparse_categorical_crossentropy`` and a ``Sequence``, whose shapes Keras does not know, it would
be that of one-hot classes. The class is written where the loss is visible. Where the loss is hidden
or one of several, ``compile`` chooses the class, as Keras did then (P027).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis import old_keras
from pedl2det.analysis.flow.values import Origin, argument
from pedl2det.analysis.models import compiles
from pedl2det.analysis.old_keras import KERAS
from pedl2det.analysis.source import spell
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, rewrite

_WORDS = ("acc", "accuracy", "ce", "crossentropy")
#: The classes of metrics that fit losses, by the names of their functions and classes.
_CLASSES = {
    "binary_crossentropy": "BinaryAccuracy",
    "BinaryCrossentropy": "BinaryAccuracy",
    "sparse_categorical_crossentropy": "SparseCategoricalAccuracy",
    "SparseCategoricalCrossentropy": "SparseCategoricalAccuracy",
}


def check(trial: Trial) -> Iterable[Fix]:
    """Write the class of each ``"accuracy"``, or let ``compile`` choose it."""
    if not old_keras.is_old(trial) or trial.carried:  # P027
        return
    fixes: list[Fix] = []
    for compiled in compiles(trial):
        words, fitting = _words(trial, compiled.call), _fitting(trial, compiled.call)
        if words == [] or fitting == {""}:
            continue
        if words is None or None in fitting or len(fitting) != 1:
            yield from old_keras.as_before(trial)
            return
        spelling = spell(compiled.source, f"{KERAS}.metrics.{fitting.pop()}", like=compiled.call)
        for word in words:
            code = f"{spelling.code}(name={ast.unparse(word)})".replace("'", '"')
            fixes.append(rewrite(word, code, imports=spelling.imports))
    yield from fixes


def _words(trial: Trial, call: ast.Call) -> list[ast.Constant] | None:
    """The texts that ask for accuracies in a call; None if others may be hidden."""
    metrics = argument(call, "metrics", 2)
    if argument(call, "weighted_metrics", 4) is not None:
        return None
    members = [] if metrics is None else [*trial.flow.members(metrics)]
    texts = [member for member in members if isinstance(member, ast.Constant)]
    words = [text for text in texts if text.value in _WORDS]
    parts = [] if metrics is None else [*ast.walk(metrics)]
    inside = {part for part in parts if getattr(part, "value", None) in _WORDS}
    is_known = {word.value for word in words} <= {"acc", "accuracy"}
    return words if not words or (inside == {*words} and is_known) else None


def _fitting(trial: Trial, call: ast.Call) -> set[str | None]:
    """The classes that fit the losses of a call: "" for today's choice, None if not visible."""
    loss = argument(call, "loss", 1)
    origins = trial.flow.origins(loss) if loss is not None else []
    names = {_name(trial, origin) for origin in origins} if loss is not None else {""}
    return {name if name is None else _CLASSES.get(name, "") for name in names}


def _name(trial: Trial, origin: Origin) -> str | None:
    """The name of a loss function of Keras; "" for one of the project, None if not visible."""
    node = origin.node.func if isinstance(origin.node, ast.Call) else origin.node
    match node:
        case ast.Constant(value=str(name)):
            return name
        case ast.FunctionDef() | ast.Lambda():
            return ""
        case ast.expr() if trial.today(node).startswith(f"{KERAS}.losses."):
            return trial.today(node).rpartition(".")[2]
    return None


EXAMPLE = """\
--- net.py
  import tensorflow as tf
  from tensorflow.keras.optimizers.legacy import SGD


  def build(model):
-     model.compile(SGD(0.1), "binary_crossentropy", metrics=["accuracy"])
+     model.compile(
+         SGD(0.1),
+         "binary_crossentropy",
+         metrics=[tf.keras.metrics.BinaryAccuracy(name="accuracy")],
+     )
"""
