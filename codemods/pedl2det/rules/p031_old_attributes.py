"""Restore attributes that models, layers and others had in TensorFlow 1 and Keras 2.2.4.

Examples are ``model.predict_classes(x)``, ``layer.name = "net"``, ``add_update(updates, inputs)``,
``trainable_weights = [...]``, ``x._keras_shape``, ``dataset.make_one_shot_iterator()`` and
``optimizer.get_config()["lr"]``. ``legacy_keras.restore_attributes()`` above the first use gives
them back to all classes that had them.

``size.value`` of what may be a dimension becomes ``legacy_keras.dimension(size)``, which decides
at run time; ``x.shape[-1].value`` of what is certainly a tensor becomes ``x.shape[-1]``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from pedl2det.analysis import old_keras
from pedl2det.analysis.flow.values import Origin
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, rewrite
from pedl2det.support import MODULE

#: Attributes that today's classes may lack, as they are read, set or called.
_GONE = re.compile(
    r"""
    [.'](?:predict_classes|_keras_shape|_uses_learning_phase|initial_decay
        |make_one_shot_iterator|output_(?:classes|shapes|types)|_make_\w+_function)\b
    |\.(?:non_)?trainable_weights\ \+?=|setattr\(.+,\ '(?:name|(?:non_)?trainable_weights)',
    |\.add_(?:loss|update)\(.+,|\.eval\((?:session=.*)?\)
    """,
    re.VERBOSE,
)
#: Possible uses of others: a pattern, and what the same statement and the trial then contain.
_MAY_BE = (
    (
        r"\b(?:\w*[dD]ict|(?:frozen)?set|setdefault)\(|\{.* for |\w\[\w+\]",  # variables had a hash
        r"\.(?:non_)?trainable_(?:variables|weights)\b|(?<!self)\.(?:variables|weights)\b",
        "",
    ),
    (r"(?<!\))\.get_config\(", "", r"""["']lr["']"""),  # an optimizer's; `super()` has others
    (r"\.predict_proba\b", "", "Sequential|model_from_|load_model"),
)
_NAME = re.compile(r"\.name \+?= ")  #: which layers of standalone Keras could set


def check(trial: Trial) -> Iterable[Fix]:
    """Rewrite dimensions, and restore attributes above their first use."""
    for source in trial.modules:
        for node in source.names.of(ast.Attribute) if old_keras.is_old(trial) else ():
            is_read = node.attr == "value" and isinstance(node.ctx, ast.Load)
            origins = trial.flow.origins(node.value) if is_read else []
            may_be = trial.carried or "shape" in source.text
            may_be &= trial.modules.meaning(node) is None
            is_of_lambda = any(_is_of_lambda(source, origin) for origin in origins)
            may_be &= is_of_lambda or trial.is_unseen(node)
            if any(map(_is_size, origins)) or (is_read and may_be):
                is_certain = all(_is_of_tensor(trial, origin) for origin in origins)
                code = "{size}" if is_certain else f"{MODULE}.dimension({{size}})"
                yield rewrite(node, code, {"size": node.value})
        uses = (line for line in source.tree.body if _is_gone(trial, line))
        if first := next(uses, None):
            yield from old_keras.before_use(source, first, f"{MODULE}.restore_attributes()")


def _is_gone(trial: Trial, line: ast.stmt) -> bool:
    """Whether a statement of a module may use what is gone."""
    code, source = ast.unparse(line), trial.modules.home(line)
    lines, unseen = range(line.lineno, (line.end_lineno or 0) + 1), trial.unseen_lines(source)
    text = "\n".join(source.lines[number - 1] for number in lines if number in unseen)
    return not isinstance(getattr(line, "value", None), ast.Constant) and (
        _GONE.search(code) is not None
        or ("getattr(" in code and any(_looks_up(trial, node) for node in ast.walk(line)))
        or any(
            re.search(use, text)
            or (re.search(use, code) and re.search(beside, code) and trial.mentions(words))
            for use, beside, words in _MAY_BE
        )
        or (_NAME.search(code) is not None and old_keras.imports_standalone(trial))
    )


def _looks_up(trial: Trial, node: ast.AST) -> bool:
    """Whether ``getattr`` gets a computed name, on an object that is not a module."""
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[asked, name, *_]):
            is_own = re.match(r"self$|legacy_keras\.", ast.unparse(asked)) is not None
            is_computed = not isinstance(name, ast.Constant)
            return is_computed and not is_own and trial.modules.meaning(asked) is None
    return False


def _is_of_lambda(source: Source, origin: Origin) -> bool:
    """Whether a value is a parameter of a lambda, which may be mapped over any sequence."""
    is_parameter = isinstance(origin.node, ast.arg)
    return is_parameter and isinstance(source.names.definition_around(origin.node), ast.Lambda)


def _is_size(origin: Origin) -> bool:
    """Whether a value may be a dimension: a part of a shape, or an indexed parameter."""
    is_named = any(isinstance(step, str) for step in origin.path)
    is_member = isinstance(origin.node, ast.arg) and origin.path and not is_named
    return bool(is_member) or "shape" in ast.unparse(origin.node)


def _is_of_tensor(trial: Trial, size: Origin) -> bool:
    """Whether a dimension belongs to the result of a function or layer of TensorFlow."""
    match size.node:
        case (
            ast.Attribute(value=shaped, attr="shape")
            | ast.Call(func=ast.Attribute(value=shaped, attr="get_shape"))
        ):
            makers = trial.flow.origins(shaped)
            return all(
                not maker.path and trial.today(_maker(maker.node))[:11] == "tensorflow."
                for maker in makers
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
