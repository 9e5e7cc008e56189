"""P036: an optimizer that a ``KerasTrial`` gave by its name becomes an object."""

from __future__ import annotations

import ast
from typing import Any

from pedl2det.edit.making import expression
from pedl2det.facts.project import TrialProject
from pedl2det.flow import keras_metrics, where
from pedl2det.flow.loaders import returns_of
from pedl2det.plan import Plan
from pedl2det.rules.legacy_optimizers import OPTIMIZERS
from pedl2det.rules.rule import Case, Rule, Safety, keras_trial
from pedl2det.rules.wrap_model import is_optimizer
from pedl2det.tables.legacy import STANDALONE_RATES


def plan(project: TrialProject, plan: Plan) -> None:
    """Make an object of each name that ``optimizer()`` returns; refuse what cannot be seen."""
    method = where.methods(project).get("optimizer")
    if method is None or not keras_metrics.is_keras_trial(project):
        return
    source, _ = project.trial
    if method.decorator_list or len(method.args.args) != 1:
        plan.refuse(RULE.id, source, method, "expected the signature optimizer(self)")
    for node in returns_of(source, method):
        value = node.value
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            name = {name.lower(): name for name in OPTIMIZERS}.get(value.value.lower())
            if name is None:
                message = f"{value.value!r} names no optimizer of Keras"
                plan.refuse(RULE.id, source, node, message)
                continue
            if name == "Adagrad":
                message = "'adagrad' of Keras 2.2.4 began its sums at 0: return the optimizer"
                plan.refuse(RULE.id, source, node, message)
                continue
            rate = STANDALONE_RATES.get(name)
            given = f"learning_rate={rate}" if rate else ""
            plan.require(source, "import tensorflow as tf")
            made = f"tf.keras.optimizers.legacy.{name}({given})"
            plan.line(RULE.id, source, node, _returning(made))
        elif value is None or not is_optimizer(source, method, value):
            message = "which optimizer this is cannot be seen: return the call that makes it"
            plan.refuse(RULE.id, source, node, message)


def _returning(code: str) -> Any:
    def edit(line: Any) -> Any:
        statement = line.body[0].with_changes(value=expression(code))
        return line.with_changes(body=[statement])

    return edit


def _optimizer(value: str) -> str:
    return f"def optimizer(self):\n    return {value}\n"


RULE = Rule(
    id="P036",
    name="keras-optimizer",
    doc="The name of an optimizer meant that of standalone Keras, with its defaults. A checkpoint "
    "holds an object.",
    safety=Safety.SAFE,
    plan=plan,
    cases=(
        Case(
            keras_trial(_optimizer('"adadelta"  # fast')),
            keras_trial(
                _optimizer("tf.keras.optimizers.legacy.Adadelta(learning_rate=1.0)  # fast")
            ),
        ),
        Case(
            keras_trial(_optimizer("'SGD'")),
            keras_trial(_optimizer("tf.keras.optimizers.legacy.SGD()")),
        ),
        Case(keras_trial(_optimizer("'adagrad'")), {}, says="'adagrad' of Keras 2.2.4 began"),
        Case(keras_trial(_optimizer("'best'")), {}, says="'best' names no optimizer of Keras"),
        Case(keras_trial(_optimizer("choose()")), {}, says="which optimizer this is cannot be"),
        Case(keras_trial(_optimizer("tf.keras.optimizers.SGD(0.1)")), {}),
        Case(keras_trial(_optimizer('"adadelta"'), "TFKerasTrial"), {}),
    ),
)
