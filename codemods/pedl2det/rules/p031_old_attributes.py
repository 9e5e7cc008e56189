"""Attributes of TensorFlow 1 and Keras 2.2.4 that models, layers and the like have no more.

Such as ``model.predict_classes(x)``, ``layer.name = "net"``, ``add_update(updates, inputs)``,
``trainable_weights = [...]``, ``x._keras_shape``, ``dataset.make_one_shot_iterator()`` and
``optimizer.get_config()["lr"]``. A line above the first use gives them back to the classes,
whatever has the attribute:
``legacy_keras.restore_attributes()``.

``size.value`` of what may be a dimension becomes ``legacy_keras.dimension(size)``, which looks when
it runs; ``x.shape[-1].value`` of what is certainly a tensor becomes ``x.shape[-1]``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis import old_keras
from pedl2det.analysis.flow.values import Origin
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, rewrite
from pedl2det.support import MODULE

#: Attributes that today's classes do not have.
_GONE = {
    *("predict_classes", "predict_proba", "_keras_shape", "_uses_learning_phase", "initial_decay"),
    *("output_classes", "output_shapes", "output_types", "make_one_shot_iterator"),
    *(f"_make_{function}_function" for function in ("predict", "test", "train")),
}
#: One that models of other libraries have.
_OF_OTHERS = "predict_proba"
#: Attributes that could be set.
_SET = {"name", "trainable_weights", "non_trainable_weights"}


def check(trial: Trial) -> Iterable[Fix]:
    """Rewrite them by their names."""
    for source in trial.modules:
        for node in source.names.of(ast.Attribute) if old_keras.is_old(trial) else ():
            is_read = node.attr == "value" and isinstance(node.ctx, ast.Load)
            origins = trial.flow.origins(node.value) if is_read else []
            if any(map(_is_size, origins)):
                is_certain = all(_is_of_tensor(trial, one) for one in origins)
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
        case ast.Call(func=ast.Name(id="set"), args=[members]):
            return "weights" in ast.unparse(members)
        case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value=name), _]):
            return name in _SET
        case ast.Subscript(value=config, slice=ast.Constant(value="lr")):
            made = [ast.unparse(one.node) for one in trial.flow.origins(config)]
            return any(code.endswith(".get_config()") for code in made)
    return False


def _is_size(origin: Origin) -> bool:
    """Whether a value may be a dimension: of a shape, or a member of an argument by its number."""
    is_named = any(isinstance(one, str) for one in origin.path)
    is_member = isinstance(origin.node, ast.arg) and origin.path and not is_named
    return bool(is_member) or "shape" in ast.unparse(origin.node)


def _is_of_tensor(trial: Trial, size: Origin) -> bool:
    """Whether a dimension is that of what a function or a layer of TensorFlow has made."""
    match size.node:
        case (
            ast.Attribute(value=shaped, attr="shape")
            | ast.Call(func=ast.Attribute(value=shaped, attr="get_shape"))
        ):
            makers = trial.flow.origins(shaped)
            return all(
                not one.path and trial.today(_maker(one.node))[:11] == "tensorflow."
                for one in makers
            )
    return False


def _maker(made: ast.AST) -> ast.AST:
    return _maker(made.func) if isinstance(made, ast.Call) else made


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
