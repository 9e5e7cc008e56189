"""P032: a ``KerasTrial`` compiles its model itself."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det import keras_metrics, where
from pedl2det.constructor import with_last_methods
from pedl2det.edits import expression, statements
from pedl2det.keras_metrics import Metric, Unclear
from pedl2det.legacy import STANDALONE_RATES
from pedl2det.plan import Plan
from pedl2det.project import TrialProject
from pedl2det.rules.legacy_optimizers import OPTIMIZERS
from pedl2det.rules.rule import Case, Files, Rule, Safety
from pedl2det.rules.wrap_model import is_optimizer
from pedl2det.source import Source

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
    named = {{}}
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
    """Have ``build_model`` wrap and compile, with the metrics under their names."""
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
    methods = where.methods(project)
    if "optimizer" in methods:
        _plan_optimizer(plan, source, methods["optimizer"])
    if "build_model" in methods:
        _plan_returns(project, plan, source, methods["build_model"], bool(metrics))
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
    methods = where.methods(project)
    own = methods.get("compute_validation_metrics")
    if own is not None:
        message = (
            "compute_validation_metrics: no method of the context-based API computes them: "
            "write a callback that puts them into the logs of on_test_end"
        )
        plan.refuse(RULE.id, source, own, message)
    for name in ("build_model", "optimizer", "losses" if _functional(project) else "loss"):
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


def _functional(project: TrialProject) -> bool:
    return keras_metrics.is_functional(project)


def _plan_optimizer(plan: Plan, source: Source, method: ast.FunctionDef) -> None:
    """An optimizer's name meant that of standalone Keras, with its defaults."""
    if method.decorator_list or len(method.args.args) != 1:
        plan.refuse(RULE.id, source, method, "expected the signature optimizer(self)")
    for node in _returns(source, method):
        value = node.value
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            name = {name.lower(): name for name in OPTIMIZERS}.get(value.value.lower())
            if name is None:
                message = f"{value.value!r} names no optimizer of Keras"
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


def _returns(source: Source, method: ast.FunctionDef) -> list[ast.Return]:
    return [
        node
        for node in ast.walk(method)
        if isinstance(node, ast.Return) and source.names.definition_around(node) is method
    ]


def _plan_returns(
    project: TrialProject, plan: Plan, source: Source, method: ast.FunctionDef, has_metrics: bool
) -> None:
    """Compile each model that ``build_model`` returns."""
    returns = _returns(source, method)
    if not returns:
        plan.refuse(RULE.id, source, method, "build_model returns no model")
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and node.attr == "compile":
            plan.refuse(RULE.id, source, node, "build_model compiles: the old harness did it again")
    me = method.args.args[0].arg if method.args.args else "self"
    loss = "losses" if _functional(project) else "loss"
    for node in returns:
        model = _model(source, method, node)
        names = ("optimizer", "wrapped_optimizer")
        free = [name for name in names if not source.names.uses_name(method, name)]
        if node.value is None or model is None or not free:
            message = "the returned model and its optimizer need names that are taken here"
            plan.refuse(RULE.id, source, node, message)
            continue
        optimizer = free[0]
        metrics = f", metrics={me}.named_metrics()" if has_metrics else ""
        code = (
            f"{model} = 0\n"
            f"{optimizer} = {me}.context.wrap_optimizer({me}.optimizer())\n"
            f"{model}.compile({optimizer}, loss={me}.{loss}(){metrics})\n"
            f"return {model}\n"
        )
        plan.line(RULE.id, source, node, _compiling(code, me))


def _model(source: Source, method: ast.FunctionDef, node: ast.Return) -> str | None:
    """The local name of what is returned, or one that it can get."""
    if isinstance(node.value, ast.Name) and source.names.binder(node.value) is method:
        return node.value.id
    free = (name for name in ("model", "keras_model") if _is_own(source, method, name))
    return next(free, None)


def _is_own(source: Source, method: ast.FunctionDef, name: str) -> bool:
    """Whether a method may bind a name as it returns: no function within it would see that."""
    uses = [node for node in ast.walk(method) if isinstance(node, ast.Name) and node.id == name]
    local = all(
        source.names.definition_around(use) is method and source.names.binder(use) is method
        for use in uses
    )
    return local and (bool(uses) or not source.names.uses_name(method, name))


def _compiling(code: str, me: str) -> Any:
    def edit(line: Any) -> Any:
        first, *others, last = statements(code)
        wrapped = cst.Call(expression(f"{me}.context.wrap_model"), [cst.Arg(line.body[0].value)])
        assign = first.body[0].with_changes(value=wrapped)
        first = first.with_changes(body=[assign], leading_lines=line.leading_lines)
        last = last.with_changes(trailing_whitespace=line.trailing_whitespace)
        return cst.FlattenSentinel([first, *others, last])

    return edit


def _named_metrics(project: TrialProject, metrics: list[Metric], several: bool) -> str:
    roles = list(dict.fromkeys(metric.role for metric in metrics))
    calls = [f"self.{role}_metrics()" for role in roles]
    joined = f"{{{', '.join(f'**{call}' for call in calls)}}}" if len(calls) > 1 else calls[0]
    if not _functional(project):
        return _NAMED.format(metrics=joined)
    stripped = any(metric.own_name != metric.name for metric in metrics)
    strip = _STRIP if several and stripped else ""
    return _NAMED_BY_OUTPUT.format(metrics=joined, strip=strip)


_IMPORTS = (
    "import tensorflow as tf\n"
    "from tensorflow.keras.metrics import binary_accuracy, categorical_accuracy\n"
    "from pedl.frameworks.keras import {base}\n\n\n"
    "class T({base}):\n"
)


def _trial(body: str, base: str = "KerasTrial") -> Files:
    indented = "".join(f"    {line}" if line.strip() else line for line in body.splitlines(True))
    return {"model_def.py": _IMPORTS.format(base=base) + indented}


def _methods(
    validation: str, optimizer: str = "tf.keras.optimizers.SGD(0.1)", loss: str = "loss"
) -> str:
    return (
        f"def {loss}(self):\n    return make()\n\n"
        f"def optimizer(self):\n    return {optimizer}\n\n"
        f"def validation_metrics(self):\n    return {validation}\n"
    )


_BUILD = "def build_model(self, hparams):\n    net = make()\n    return net\n\n"
_BUILT = """\
def build_model(self, hparams):
    net = make()
    net = self.context.wrap_model(net)
    optimizer = self.context.wrap_optimizer(self.optimizer())
    net.compile(optimizer, loss=self.{loss}(), metrics=self.named_metrics())
    return net

"""
_ACCURACY = '{"accuracy": categorical_accuracy}'
_ONE = _NAMED.format(metrics="self.validation_metrics()")
_BOTH = '{"kind_accuracy": ("kind", categorical_accuracy), "old": ("strong", binary_accuracy)}'
_TWO = _NAMED_BY_OUTPUT.format(metrics="self.validation_metrics()", strip=_STRIP)

RULE = Rule(
    id="P032",
    name="keras-trial",
    doc="A KerasTrial named its metrics by role, and the harness compiled its model. It becomes a "
    "TFKerasTrial whose build_model compiles, with one list of metrics under the names that are "
    "reported; Keras puts val_ before those of a validation.",
    safety=Safety.SAFE,
    plan=plan,
    cases=(
        Case(
            _trial(_BUILD + _methods(_ACCURACY)),
            _trial(_BUILT.format(loss="loss") + _methods(_ACCURACY) + f"\n{_ONE}"),
            says="loss is val_loss, accuracy is val_accuracy",
        ),
        Case(
            _trial(_BUILD + _methods(_BOTH, loss="losses"), "KerasFunctionalTrial"),
            _trial(
                _BUILT.format(loss="losses") + _methods(_BOTH, loss="losses") + f"\n{_TWO}",
                "KerasFunctionalTrial",
            ),
            says="kind_accuracy is val_kind_accuracy, old is val_strong_old",
        ),
        Case(
            _trial(_BUILD + _methods("{}", '"adadelta"')),
            _trial(
                _BUILT.format(loss="loss").replace(", metrics=self.named_metrics()", "")
                + _methods("{}", "tf.keras.optimizers.legacy.Adadelta(learning_rate=1.0)")
            ),
        ),
        Case(
            _trial(
                "def build_model(self, hparams):\n    return make()  # small\n\n" + _methods("{}")
            ),
            _trial(
                "def build_model(self, hparams):\n"
                "    model = self.context.wrap_model(make())\n"
                "    optimizer = self.context.wrap_optimizer(self.optimizer())\n"
                "    model.compile(optimizer, loss=self.loss())\n"
                "    return model  # small\n\n" + _methods("{}")
            ),
        ),
        Case(
            _trial(
                _BUILD
                + _methods(_ACCURACY)
                + '\ndef training_metrics(self):\n    return {"accuracy": binary_accuracy}\n'
            ),
            {},
            says="accuracy: another metric is called accuracy too",
        ),
        Case(
            _trial(
                _BUILD + _methods(_ACCURACY) + "\ndef compute_validation_metrics(self, n):\n"
                "    return {}\n"
            ),
            {},
            says="compute_validation_metrics: no method of the context-based API",
        ),
        Case(
            _trial(_BUILD + _methods('{"auc": tf.keras.metrics.AUC()}')),
            {},
            says="auc: tf.keras.metrics.AUC() is not seen to be a function",
        ),
        Case(
            _trial(_BUILD + _methods("dict(a=categorical_accuracy)")),
            {},
            says="validation_metrics: expected nothing but `return {name: metric, ...}`",
        ),
        Case(
            _trial(
                _BUILD + _methods('{"a": ("kind", binary_accuracy)}', loss="losses"),
                "KerasFunctionalTrial",
            ),
            {},
            says="only one output is named here (kind), and the model may have more",
        ),
        Case(
            _trial(_BUILD + _methods("{}", "choose()")),
            {},
            says="which optimizer this is cannot be seen",
        ),
        Case(
            _trial(_BUILD + _methods("{}") + "\ndef f(self):\n    return self.model\n"),
            {},
            says="self.model was set by the old harness",
        ),
        Case(_trial("def optimizer(self):\n    return 'adadelta'\n", "TFKerasTrial"), {}),
    ),
)
