"""``"accuracy"`` was the accuracy that fits the loss; since TensorFlow 2 it fits the shapes.

With ``binary_crossentropy`` and several labels for an example, and with
``sparse_categorical_crossentropy`` and a ``Sequence``, whose shapes Keras does not know, it would
be that of one-hot classes. The class is written where the loss is visible. Where it is not, the
written code chooses when it compiles.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from pedl2det.analysis import old_keras
from pedl2det.analysis.flow.values import Origin, argument
from pedl2det.analysis.models import compiles
from pedl2det.analysis.old_keras import KERAS
from pedl2det.analysis.source import spell
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, rewrite

_WORDS = ("acc", "accuracy", "ce", "crossentropy")
#: Behind these may be any metric.
_HIDING = ast.Attribute | ast.Subscript | ast.arg
#: The classes of metrics that fit losses, by the names of their functions and classes.
_CLASSES = {
    "binary_crossentropy": "BinaryAccuracy",
    "BinaryCrossentropy": "BinaryAccuracy",
    "sparse_categorical_crossentropy": "SparseCategoricalAccuracy",
    "SparseCategoricalCrossentropy": "SparseCategoricalAccuracy",
}


def check(trial: Trial) -> Iterable[Fix]:
    """Write the class of each ``"accuracy"``, or let ``compile`` choose it."""
    if not old_keras.is_old(trial):
        return
    concerned = [one for one in compiles(trial) if _may_name_one(trial, one.call)]
    if not (concerned or (trial.carried and _mentions_one(trial))):
        return
    fitting = {one: _fitting(trial, one.call) for one in concerned}
    written = [one for one, fits in fitting.items() if fits != {""}]
    if trial.carried or not all(
        None not in fitting[one] and len(fitting[one]) == 1 and _is_written(trial, one.call)
        for one in written
    ):
        yield from old_keras.as_before(trial)
        return
    for one in written:
        spelling = spell(one.source, f"{KERAS}.metrics.{fitting[one].pop()}", like=one.call)
        for word in _words(one.call):
            code = f"{spelling.code}(name={ast.unparse(word)})".replace("'", '"')
            yield rewrite(word, code, imports=spelling.imports)


def _mentions_one(trial: Trial) -> bool:
    """Whether a text of the code or a value of a config may be such a metric."""
    texts = [one.value for one in trial.modules.of(ast.Constant)]
    return any(word in texts for word in _WORDS) or any(
        f"'{word}'" in repr(config) for _, config in trial.configs for word in _WORDS
    )


def _may_name_one(trial: Trial, call: ast.Call) -> bool:
    """Whether the metrics of a call may be named by such a text."""
    metrics = argument(call, "metrics", 2)
    return any(one.arg is None for one in call.keywords) or any(
        _is_hidden(trial, one) or getattr(one, "value", None) in _WORDS
        for one in ([] if metrics is None else trial.flow.members(metrics))
    )


def _is_hidden(trial: Trial, metric: ast.AST) -> bool:
    """Whether a metric may be any: what a call of a dict gives, too."""
    if isinstance(metric, ast.Call):
        return getattr(metric.func, "attr", "") in ("get", "pop")
    if isinstance(metric, ast.ListComp):
        return _is_hidden(trial, metric.elt) or isinstance(metric.elt, ast.Name)
    return isinstance(metric, _HIDING) and trial.modules.meaning(metric) is None


def _is_written(trial: Trial, call: ast.Call) -> bool:
    """Whether all such texts stand in the call itself, and mean accuracies."""
    metrics = argument(call, "metrics", 2)
    members = [] if metrics is None else [*trial.flow.members(metrics)]
    texts = [getattr(one, "value", None) for one in members]
    is_visible = not any(_is_hidden(trial, one) for one in members)
    words = [text for text in texts if text in _WORDS]
    return is_visible and set(words) <= {"acc", "accuracy"} and len(words) == len([*_words(call)])


def _fitting(trial: Trial, call: ast.Call) -> set[str | None]:
    """The classes that fit the losses of a call: "" for today's choice, None if not visible."""
    loss = argument(call, "loss", 1)
    names = {_name(trial, one) for one in trial.flow.origins(loss)} if loss is not None else {""}
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


def _words(call: ast.Call) -> Iterator[ast.Constant]:
    """The texts for ``accuracy`` that stand in the call itself."""
    metrics = argument(call, "metrics", 2)
    for part in ast.walk(metrics) if metrics is not None else ():
        if isinstance(part, ast.Constant) and part.value in _WORDS:
            yield part


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
