"""Attributes that objects had in TensorFlow 1 and have no more.

``x.shape[-1].value`` becomes ``x.shape[-1]``: since TensorFlow 2 a dimension is a number. Where it
may be no tensor, ``legacy_keras.dimension`` looks at it when it runs.

``model.predict_classes(x)`` and ``model.predict_proba(x)``, which TensorFlow 2.6 removed, become
functions. They call the method of a model that has it.

``self.add_update(updates, inputs)`` and ``add_loss`` of layers lose the inputs, which they take no
more.

``model.name = "net"``, which standalone Keras allowed, becomes ``legacy_keras.set_name``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.old_keras import imports_standalone
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import AddArgument, Drop, Fix, Replace, ReplaceStatement, rewrite


def check(trial: Trial) -> Iterable[Fix]:
    """Rewrite them by their names."""
    yield from _named(trial)
    for node in trial.modules.of(ast.Attribute):
        source = trial.modules.home(node)
        match node:
            case ast.Attribute(
                value=ast.Subscript(
                    value=ast.Attribute(value=shaped, attr="shape")
                    | ast.Call(func=ast.Attribute(value=shaped, attr="get_shape"))
                ) as size,
                attr="value",
                ctx=ast.Load(),
            ):
                code = "{size}" if _is_tensor(trial, shaped) else "legacy_keras.dimension({size})"
                yield rewrite(node, code, {"size": size})
            case ast.Attribute(value=model, attr="predict_classes" | "predict_proba" as name):
                call = source.names.parents.get(node)
                is_model = name == "predict_classes" or ast.unparse(model).endswith("model")
                is_model = is_model and trial.modules.meaning(model) is None
                if is_model and isinstance(call, ast.Call) and call.func is node:
                    first = AddArgument(call, "{model}", first=True, holes={"model": model})
                    yield Fix(call, (Replace(node, f"legacy_keras.{name}"), first))
            case ast.Attribute(value=ast.Name(id="self"), attr="add_loss" | "add_update"):
                call = source.names.parents[node]
                given = call.args[1:] if isinstance(call, ast.Call) and call.func is node else []
                yield from (Fix(one, (Drop(one),)) for one in given)


def _named(trial: Trial) -> Iterable[Fix]:
    for line in trial.modules.of(ast.Assign) if imports_standalone(trial) else ():
        match line:
            case ast.Assign(targets=[ast.Attribute(value=owner, attr="name")], value=name):
                holes = {"owner": owner, "name": name}
                code = "legacy_keras.set_name({owner}, {name})"
                yield Fix(line, (ReplaceStatement(line, code, holes),))


def _is_tensor(trial: Trial, node: ast.expr) -> bool:
    """Whether a value certainly comes from TensorFlow: from a function, or a layer of it."""
    for origin in trial.flow.origins(node):
        made: ast.AST = origin.node
        while isinstance(made, ast.Call):
            made = made.func
        if origin.path or not trial.today(made).startswith("tensorflow."):
            return False
    return True


EXAMPLE = """\
--- net.py
  import tensorflow as tf


  def width(rows):
      x = tf.keras.layers.Dense(4)(tf.convert_to_tensor(rows))
-     return x.shape[-1].value, x.get_shape()[1].value
+     return x.shape[-1], x.get_shape()[1]
"""
