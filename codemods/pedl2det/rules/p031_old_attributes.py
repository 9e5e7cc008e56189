"""Attributes of TensorFlow 1 and Keras 2.2.4 that models, layers and the like have no more.

Such as ``model.predict_classes(x)``, ``layer.name = "net"``, ``add_update(updates, inputs)``,
``trainable_weights = [...]``, ``x._keras_shape`` and ``optimizer.get_config()["lr"]``. A line above
the first use gives them back to the classes, whatever has the attribute:
``legacy_keras.restore_attributes()``.

``size.value`` of what may be a dimension becomes ``legacy_keras.dimension(size)``, which looks when
it runs; ``x.shape[-1].value`` of what is certainly a tensor becomes ``x.shape[-1]``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis import old_keras
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, rewrite
from pedl2det.support import MODULE

#: Attributes that today's classes do not have.
_GONE = {
    *("predict_classes", "predict_proba", "_keras_shape", "_uses_learning_phase", "initial_decay"),
    *(f"_make_{function}_function" for function in ("predict", "test", "train")),
}
#: One that models of other libraries have.
_OF_OTHERS = "predict_proba"
#: Attributes that could be set.
_SET = {"name", "trainable_weights", "non_trainable_weights"}


def check(trial: Trial) -> Iterable[Fix]:
    """Rewrite them by their names."""
    for source in trial.modules:
        for node in source.names.of(ast.Attribute):
            if (
                node.attr == "value"
                and isinstance(node.ctx, ast.Load)
                and _is_size(trial, node.value)
            ):
                is_certain = _is_certain(trial, node.value)
                code = "{size}" if is_certain else f"{MODULE}.dimension({{size}})"
                yield rewrite(node, code, {"size": node.value})
        nodes = source.names.of(ast.Attribute, ast.Call, ast.Subscript)
        if first := next((node for node in nodes if _is_gone(trial, node)), None):
            yield from old_keras.before_use(source, first, f"{MODULE}.restore_attributes()")


def _is_gone(trial: Trial, node: ast.AST) -> bool:
    """Whether today's classes may not have what is read, set or called."""
    match node:
        case ast.Attribute(attr=name, ctx=ast.Store()):
            return name in _SET and (name != "name" or old_keras.imports_standalone(trial))
        case ast.Attribute(attr=name, value=owner):
            is_gone = name in _GONE and trial.modules.meaning(owner) is None
            return is_gone and (
                name != _OF_OTHERS or any("Sequential" in one.text for one in trial.modules)
            )
        case ast.Call(func=ast.Attribute(attr="add_loss" | "add_update")):
            return len(node.args) > 1 or any(one.arg == "inputs" for one in node.keywords)
        case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value=name), _]):
            return name in _SET
        case ast.Subscript(value=config, slice=ast.Constant(value="lr")):
            made = [ast.unparse(one.node) for one in trial.flow.origins(config)]
            return any(code.endswith(".get_config()") for code in made)
    return False


def _is_size(trial: Trial, node: ast.expr) -> bool:
    """Whether a value may be a dimension: of a shape, or a member of an argument by its number."""
    if _shaped(node):
        return True
    for origin in trial.flow.origins(node) if old_keras.is_old(trial) else ():
        is_named = any(isinstance(one, str) for one in origin.path)
        is_member = isinstance(origin.node, ast.arg) and origin.path and not is_named
        if is_member or "shape" in ast.unparse(origin.node):
            return True
    return False


def _shaped(size: ast.expr) -> ast.expr | None:
    """What has the shape of which an expression visibly is a dimension."""
    match size:
        case ast.Subscript(
            value=ast.Attribute(value=shaped, attr="shape")
            | ast.Call(func=ast.Attribute(value=shaped, attr="get_shape"))
        ):
            return shaped
    return None


def _is_certain(trial: Trial, size: ast.expr) -> bool:
    """Whether it is a dimension of what TensorFlow has made: a function, or a layer of it."""
    shaped = _shaped(size)
    for origin in trial.flow.origins(shaped) if shaped else ():
        made: ast.AST = origin.node
        while isinstance(made, ast.Call):
            made = made.func
        if origin.path or not trial.today(made).startswith("tensorflow."):
            return False
    return shaped is not None


EXAMPLE = """\
--- net.py
  import tensorflow as tf
+
+ import legacy_keras
+
+ legacy_keras.restore_attributes()


  def width(rows, model):
      x = tf.keras.layers.Dense(4)(tf.convert_to_tensor(rows))
-     return x.shape[-1].value, model.predict_classes(rows)
+     return x.shape[-1], model.predict_classes(rows)
"""
