"""P031: layers and optimizers say the defaults that they were written for."""

from __future__ import annotations

import ast
from typing import Any

from pedl2det.edit.making import expression
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.plan import Plan
from pedl2det.rules.rule import OLD, Case, Rule, Safety, trial
from pedl2det.tables.keras_names import OPTIMIZERS, public
from pedl2det.tables.legacy import OLD_DEFAULTS, STANDALONE_RATES

_LAYERS = {name.rpartition(".")[2] for name in OLD_DEFAULTS}


def plan(project: TrialProject, plan: Plan) -> None:
    """Add the old defaults to every call that left them out."""
    for source in project.sources.values():
        for node in source.names.of(ast.Name, ast.Attribute):
            if isinstance(node.ctx, ast.Load) and not isinstance(
                source.names.parents[node], ast.Attribute
            ):
                _plan_use(project, plan, source, node)


def _plan_use(
    project: TrialProject, plan: Plan, source: Source, node: ast.Name | ast.Attribute
) -> None:
    defaults = _defaults(source, node)
    if not defaults:
        if _is_unseen(project, source, node):
            message = f"{ast.unparse(node)}: whether this is the layer of Keras is not seen here"
            plan.refuse(RULE.id, source, node, message)
        return
    call = source.names.parents[node]
    if not isinstance(call, ast.Call) or call.func is not node:
        message = f"{ast.unparse(node)} is used without being called here: {_what(defaults)}"
        plan.refuse(RULE.id, source, node, message)
        return
    said = {keyword.arg for keyword in call.keywords}
    is_optimizer = "learning_rate" in defaults
    if is_optimizer and (call.args or said & {"lr", "learning_rate"}):
        return
    missing = {name: value for name, value in defaults.items() if name not in said}
    if missing and (None in said or any(isinstance(one, ast.Starred) for one in call.args)):
        message = f"{ast.unparse(node)}: its arguments are not all visible: {_what(missing)}"
        plan.refuse(RULE.id, source, call, message)
    elif missing and not is_optimizer and len(call.args) > 2:
        message = f"{ast.unparse(node)}: say its arguments by name: {_what(missing)}"
        plan.refuse(RULE.id, source, call, message)
    elif missing:
        plan.expression(RULE.id, source, call, _with_arguments(missing))


def _defaults(source: Source, node: ast.AST) -> dict[str, str]:
    """The old defaults of what an expression means, by argument."""
    meaning = source.names.qualified(node) or ""
    module, _, name = meaning.rpartition(".")
    if meaning.startswith("keras.") and public(module) == OPTIMIZERS and name in STANDALONE_RATES:
        return {"learning_rate": STANDALONE_RATES[name]}
    return OLD_DEFAULTS.get(public(meaning), {})


def _is_unseen(project: TrialProject, source: Source, node: ast.Name | ast.Attribute) -> bool:
    """Whether such a layer may come by way of another file, or of ``import *``."""
    if (node.attr if isinstance(node, ast.Attribute) else node.id) not in _LAYERS:
        return False
    meanings = source.names.meanings(node)
    for meaning in filter(None, meanings):
        module, _, name = meaning.lstrip(".").rpartition(".")
        if meaning.startswith(".") or module.partition(".")[0] in project.sources:
            sibling = project.sources.get(module)
            return sibling is None or sibling.names.module_bindings(name) != [None]
    if isinstance(node, ast.Name):
        return not source.names.bindings(node)
    return None in meanings and ast.unparse(node.value) != "self"


def _what(defaults: dict[str, str]) -> str:
    said = ", ".join(f"{name}={value}" for name, value in defaults.items())
    return f"its default was {said}, and is not today: say it"


def _with_arguments(missing: dict[str, str]) -> Any:
    arguments = ", ".join(f"{name}={value}" for name, value in missing.items())
    new = expression(f"f({arguments})").args

    def edit(call: Any) -> Any:
        return call.with_changes(args=[*call.args, *new])

    return edit


_TF = "import tensorflow as tf\nfrom pedl.frameworks.keras import TFKerasTrial\n"


def _layer(code: str, imports: str = _TF) -> dict[str, str]:
    return trial(f"def helper(self):\n    return {code}\n", imports)


_STANDALONE = (
    "from keras.optimizers import Adadelta\nfrom pedl.frameworks.keras import TFKerasTrial"
)

RULE = Rule(
    id="P031",
    name="old-defaults",
    doc="TensorFlow 1 and standalone Keras had other defaults for LSTM and GRU, standalone Keras "
    "for four optimizers too. A call that left them out says them.",
    safety=Safety.SAFE,
    plan=plan,
    generations=OLD,
    cases=(
        Case(
            _layer("tf.keras.layers.LSTM(4)"),
            _layer('tf.keras.layers.LSTM(4, recurrent_activation="hard_sigmoid")'),
        ),
        Case(
            _layer("tf.keras.layers.GRU(4, reset_after=True)"),
            _layer('tf.keras.layers.GRU(4, reset_after=True, recurrent_activation="hard_sigmoid")'),
        ),
        Case(
            _layer("Adadelta()", _STANDALONE),
            _layer("Adadelta(learning_rate=1.0)", _STANDALONE),
        ),
        Case(_layer("Adadelta(0.5), Adadelta(lr=0.1)", _STANDALONE), {}),
        Case(_layer("tf.keras.layers.LSTM(4, recurrent_activation='sigmoid')"), {}),
        Case(_layer("tf.keras.optimizers.Adadelta()"), {}),
        Case(
            _layer("tf.keras.layers.LSTM(4, **options)"),
            {},
            says="its arguments are not all visible",
        ),
        Case(
            _layer("[kind(4) for kind in (tf.keras.layers.LSTM, tf.keras.layers.GRU)]"),
            {},
            says="tf.keras.layers.LSTM is used without being called here",
        ),
        Case(
            _layer("LSTM(4)", f"from common import LSTM\n{_TF}")
            | {"common.py": "from tensorflow.keras.layers import LSTM\n"},
            _layer(
                'LSTM(4, recurrent_activation="hard_sigmoid")', f"from common import LSTM\n{_TF}"
            ),
        ),
        Case(
            trial("def helper(self, layers):\n    return layers.GRU(4)\n"),
            {},
            says="layers.GRU: whether this is the layer of Keras is not seen here",
        ),
        Case(
            _layer("LSTM(4)", f"from common import LSTM\n{_TF}")
            | {"common.py": "class LSTM:\n    pass\n"},
            {},
        ),
    ),
)
