"""P035: ``build_model`` of a ``KerasTrial`` compiles, as the harness did."""

from __future__ import annotations

import ast
import contextlib
from typing import Any

import libcst as cst

from pedl2det.edit.making import expression, statements
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.findings import Unclear
from pedl2det.flow import keras_metrics, where
from pedl2det.flow.loaders import returns_of
from pedl2det.plan import Plan
from pedl2det.rules.rule import Case, Rule, Safety, keras_trial


def plan(project: TrialProject, plan: Plan) -> None:
    """Wrap and compile each model that ``build_model`` returns."""
    method = where.methods(project).get("build_model")
    if method is None or not keras_metrics.is_keras_trial(project):
        return
    source, _ = project.trial
    has_metrics = True
    with contextlib.suppress(Unclear):  # the rule of the metrics says so
        has_metrics = bool(keras_metrics.metrics_of(project))
    returns = returns_of(source, method)
    if not returns:
        plan.refuse(RULE.id, source, method, "build_model returns no model")
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and node.attr == "compile":
            plan.refuse(RULE.id, source, node, "build_model compiles: the old harness did it again")
    me = method.args.args[0].arg if method.args.args else "self"
    loss = "losses" if keras_metrics.is_functional(project) else "loss"
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


_BUILD = "def build_model(self, hparams):\n    net = make()\n    return net  # small\n"
_BUILT = """\
def build_model(self, hparams):
    net = make()
    net = self.context.wrap_model(net)
    optimizer = self.context.wrap_optimizer(self.optimizer())
    net.compile(optimizer, loss=self.{loss}(), metrics=self.named_metrics())
    return net  # small
"""
_NO_METRICS = "\ndef validation_metrics(self):\n    return {}\n"

RULE = Rule(
    id="P035",
    name="keras-compile",
    doc="The old harness compiled the model that a KerasTrial built, with its optimizer, loss and "
    "metrics. Now build_model does, before it returns.",
    safety=Safety.SAFE,
    plan=plan,
    cases=(
        Case(keras_trial(_BUILD), keras_trial(_BUILT.format(loss="loss"))),
        Case(
            keras_trial(_BUILD, "KerasFunctionalTrial"),
            keras_trial(_BUILT.format(loss="losses"), "KerasFunctionalTrial"),
        ),
        Case(
            keras_trial("def build_model(self, hparams):\n    return make()\n" + _NO_METRICS),
            keras_trial(
                "def build_model(self, hparams):\n"
                "    model = self.context.wrap_model(make())\n"
                "    optimizer = self.context.wrap_optimizer(self.optimizer())\n"
                "    model.compile(optimizer, loss=self.loss())\n"
                "    return model\n" + _NO_METRICS
            ),
        ),
        Case(
            keras_trial(_BUILD.replace("    return", "    net.compile('sgd')\n    return")),
            {},
            says="build_model compiles: the old harness did it again",
        ),
        Case(
            keras_trial(
                "def build_model(self, hparams):\n"
                "    f = lambda model, keras_model: 1\n    return make(f)\n"
            ),
            {},
            says="the returned model and its optimizer need names that are taken here",
        ),
        Case(
            keras_trial("def build_model(self, hparams):\n    make()\n"),
            {},
            says="build_model returns no model",
        ),
        Case(keras_trial(_BUILD, "TFKerasTrial"), {}),
    ),
)
