"""P032: the metrics of a ``KerasTrial`` are one list, and have the names that are reported."""

from __future__ import annotations

import ast

from pedl2det.facts.project import TrialProject
from pedl2det.findings import Unclear
from pedl2det.flow import keras_metrics, where
from pedl2det.flow.keras_metrics import Metric
from pedl2det.plan import Plan
from pedl2det.plan.constructor import with_last_methods
from pedl2det.rules.rule import Case, Rule, Safety, keras_trial
from pedl2det.rules.standalone_meanings import OTHER_LOSSES

_NAMED = '''\
def named_metrics(self):
    """The metrics by the names under which they are reported."""
    metrics = {metrics}
    return [
        tf.keras.metrics.MeanMetricWrapper(metric, name=name)
        for name, metric in metrics.items()
    ]
'''
_NAMED_BY_OUTPUT = '''\
def named_metrics(self):
    """The metrics of each output by the names under which they are reported."""
    metrics = {metrics}
    named: dict[str, list] = {{}}
    for name, (output, metric) in metrics.items():
{strip}\
        wrapped = tf.keras.metrics.MeanMetricWrapper(metric, name=name)
        named.setdefault(output, []).append(wrapped)
    return named
'''
_STRIP = """\
        name = name[len(output) + 1 :] if name.startswith(output + "_") else name
"""
_FROM_HARNESS = ("model", "validation_data_adapter")


def plan(project: TrialProject, plan: Plan) -> None:
    """Give the trial ``named_metrics``, which its ``build_model`` will compile with."""
    if not keras_metrics.is_keras_trial(project):
        return
    source, trial = project.trial
    try:
        metrics = keras_metrics.metrics_of(project)
        plan.metric_names = keras_metrics.names_of(project)
        several = keras_metrics.has_several_outputs(project, metrics)
    except Unclear as unclear:
        plan.refuse(RULE.id, source, unclear.node, str(unclear))
        return
    _check(project, plan)
    if metrics:
        plan.require(source, "import tensorflow as tf")
        code = _named_metrics(project, metrics, several)
        plan.definition(RULE.id, source, trial, with_last_methods(code))
    message = (
        "the metrics of training and of validation are one list now, and are reported for both; "
        f"in a validation {plan.metric_names.described}"
    )
    plan.note(RULE.id, source, trial, message)


def _check(project: TrialProject, plan: Plan) -> None:
    """Refuse what the old harness did for such a trial and the new one does not."""
    source, trial = project.trial
    if len(project.line) > 1:
        message = f"{trial.name} derives from a class of its own project: make one class of both"
        plan.refuse(RULE.id, source, trial, message)
    methods = where.methods(project)
    own = methods.get("compute_validation_metrics")
    if own is not None:
        message = (
            "compute_validation_metrics: no method of the context-based API computes them: "
            "write a callback that puts them into the logs of on_test_end"
        )
        plan.refuse(RULE.id, source, own, message)
    loss = "losses" if keras_metrics.is_functional(project) else "loss"
    for node in ast.walk(methods[loss]) if loss in methods else ():
        if isinstance(node, ast.Constant) and node.value in OTHER_LOSSES:
            message = f"{node.value!r}: standalone Keras had another function of this name"
            plan.refuse(RULE.id, source, node, f"{message}: give a function of your own")
    for name in ("build_model", "optimizer", loss):
        if name not in methods:
            plan.refuse(RULE.id, source, trial, f"the trial has no {name} of its own")
    if source.names.module_bindings("tf") not in ([], ["tensorflow"]):
        plan.refuse(RULE.id, source, trial, "tf means something other than TensorFlow here")
    attributes = [node for node in ast.walk(trial) if isinstance(node, ast.Attribute)]
    set_here = {node.attr for node in attributes if isinstance(node.ctx, ast.Store)}
    for node in attributes:
        if node.attr in set(_FROM_HARNESS) - set_here and ast.unparse(node.value) == "self":
            message = f"{ast.unparse(node)} was set by the old harness: nobody sets it now"
            plan.refuse(RULE.id, source, node, message)
        if node.attr == "named_metrics":
            plan.refuse(RULE.id, source, node, "the trial uses the name named_metrics already")
    if "named_metrics" in methods:
        plan.refuse(RULE.id, source, methods["named_metrics"], "the trial has named_metrics")


def _named_metrics(project: TrialProject, metrics: list[Metric], several: bool) -> str:
    roles = list(dict.fromkeys(metric.role for metric in metrics))
    calls = [f"self.{role}_metrics()" for role in roles]
    joined = f"{{{', '.join(f'**{call}' for call in calls)}}}" if len(calls) > 1 else calls[0]
    if not keras_metrics.is_functional(project):
        return _NAMED.format(metrics=joined)
    stripped = any(metric.own_name != metric.name for metric in metrics)
    strip = _STRIP if several and stripped else ""
    return _NAMED_BY_OUTPUT.format(metrics=joined, strip=strip)


_LOSS = "def loss(self):\n    return make()\n\n"
_BUILD = "def build_model(self, hparams):\n    return make()\n\n"
_OPTIMIZER = "def optimizer(self):\n    return choose()\n\n"
_START = _BUILD + _OPTIMIZER + _LOSS
_LOSSES = _START.replace("loss", "losses")
_ACCURACY = '{"accuracy": categorical_accuracy}'
_BOTH = '{"kind_accuracy": ("kind", categorical_accuracy), "old": ("strong", binary_accuracy)}'
_ONE = _NAMED.format(metrics="self.validation_metrics()")
_TWO = _NAMED_BY_OUTPUT.format(metrics="self.validation_metrics()", strip=_STRIP)
_FUNCTIONAL = "KerasFunctionalTrial"


def _validation(metrics: str) -> str:
    return f"def validation_metrics(self):\n    return {metrics}\n"


RULE = Rule(
    id="P032",
    name="keras-trial",
    doc="A KerasTrial names its metrics by role, in two dicts. Keras has one list: named_metrics "
    "makes it, under the names that are reported; Keras puts val_ before those of a validation.",
    safety=Safety.SAFE,
    plan=plan,
    cases=(
        Case(
            keras_trial(_START + _validation(_ACCURACY)),
            keras_trial(_START + _validation(_ACCURACY) + f"\n{_ONE}"),
            says="loss is val_loss, accuracy is val_accuracy",
        ),
        Case(
            keras_trial(_LOSSES + _validation(_BOTH), _FUNCTIONAL),
            keras_trial(_LOSSES + _validation(_BOTH) + f"\n{_TWO}", _FUNCTIONAL),
            says="kind_accuracy is val_kind_accuracy, old is val_strong_old",
        ),
        Case(keras_trial(_START + _validation("{}")), {}, says="loss is val_loss"),
        Case(
            keras_trial(
                _START
                + _validation(_ACCURACY)
                + '\ndef training_metrics(self):\n    return {"accuracy": binary_accuracy}\n'
            ),
            {},
            says="accuracy: another metric is called accuracy too",
        ),
        Case(
            keras_trial(
                _START
                + _validation("{}")
                + "\ndef compute_validation_metrics(self, n):\n    pass\n"
            ),
            {},
            says="compute_validation_metrics: no method of the context-based API",
        ),
        Case(
            keras_trial(_START + _validation('{"auc": tf.keras.metrics.AUC()}')),
            {},
            says="auc: tf.keras.metrics.AUC() is not seen to be a function",
        ),
        Case(
            keras_trial(_START + _validation("dict(a=categorical_accuracy)")),
            {},
            says="validation_metrics: expected nothing but `return {name: metric, ...}`",
        ),
        Case(
            keras_trial(_LOSSES + _validation('{"a": ("kind", binary_accuracy)}'), _FUNCTIONAL),
            {},
            says="only one output is named here (kind), and the model may have more",
        ),
        Case(
            keras_trial(_START + _validation("{}") + "\ndef f(self):\n    return self.model\n"),
            {},
            says="self.model was set by the old harness",
        ),
        Case(
            keras_trial(_START.replace("make()\n\n", "'hinge'\n\n") + _validation("{}")),
            {},
            says="'hinge': standalone Keras had another function of this name",
        ),
        Case(keras_trial(_BUILD + _validation("{}")), {}, says="the trial has no optimizer of its"),
        Case(keras_trial(_validation(_ACCURACY), "TFKerasTrial"), {}),
    ),
)
