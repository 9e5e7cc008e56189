"""C106: the searcher's metric by its new name."""

from __future__ import annotations

import ast

from pedl2det import keras_metrics
from pedl2det.findings import Finding, Kind
from pedl2det.plan import Plan
from pedl2det.project import TrialProject
from pedl2det.rules.rule import ALL, Case, Files, Rule, Safety, trial
from pedl2det.yaml_edit import Config, Entry

#: What TensorFlow 1 called the metric "accuracy", and what it is called since.
_TF1_NAMES = {"acc": "accuracy", "val_acc": "val_accuracy"}


def plan(project: TrialProject, plan: Plan) -> None:
    """Rename ``searcher.metric`` where the trial reports it under another name."""
    for config in project.configs:
        entry = config.entry("searcher", "metric")
        if entry is None or entry.scalar is None:
            continue
        if keras_metrics.is_keras_trial(project):
            _plan_keras_trial(project, plan, config, entry)
        elif entry.scalar in _TF1_NAMES:
            _plan_accuracy(project, plan, config, entry)


def _plan_keras_trial(project: TrialProject, plan: Plan, config: Config, entry: Entry) -> None:
    try:
        names = keras_metrics.names_of(project).validation
    except keras_metrics.Unclear:
        return  # the rule of the trial says so
    old = str(entry.scalar)
    new = names.get(old) or names.get(_TF1_NAMES.get(old, ""))
    if new is None:
        known = ", ".join(sorted(names))
        message = f"searcher.metric: {old} is none of this trial's validation metrics: {known}"
        plan.findings.append(Finding(Kind.PERSON, RULE.id, config.path, entry.line, message))
        return
    _rename(plan, config, entry, new)


def _plan_accuracy(project: TrialProject, plan: Plan, config: Config, entry: Entry) -> None:
    """A trial that asks Keras for "accuracy" reports it so, and one for "acc" as acc."""
    written = {
        node.value if isinstance(node, ast.Constant) else getattr(node, "name", None)
        for source in project.sources.values()
        for node in source.names.nodes
        if isinstance(node, ast.Constant | ast.FunctionDef | ast.ClassDef | ast.alias)
    }
    if "acc" in written and "accuracy" in written:
        message = f"searcher.metric: {entry.scalar}: the trial names acc and accuracy: say which"
        plan.findings.append(Finding(Kind.PERSON, RULE.id, config.path, entry.line, message))
    elif "accuracy" in written:
        _rename(plan, config, entry, _TF1_NAMES[str(entry.scalar)])


def _rename(plan: Plan, config: Config, entry: Entry, new: str) -> None:
    plan.config(config).replace(RULE.id, entry, new)
    message = f"searcher.metric: what was reported as {entry.scalar} is {new} now"
    plan.findings.append(Finding(Kind.NOTE, RULE.id, config.path, entry.line, message))


def _config(metric: str) -> Files:
    searcher = f"searcher: {{name: single, metric: {metric}, max_steps: 1}}\n"
    return {"const.yaml": f"hyperparameters: {{}}\n{searcher}"}


def _compiled(metric: str) -> Files:
    return trial(f"def build_model(self, hparams):\n    model.compile('sgd', metrics=[{metric}])\n")


_KERAS_TRIAL = {
    "model_def.py": "from pedl.frameworks.keras import KerasTrial\n\n\n"
    "class T(KerasTrial):\n    def validation_metrics(self):\n"
    "        return {'error': lambda y, p: 1, 'accuracy': lambda y, p: 2}\n"
}

RULE = Rule(
    id="C106",
    name="config-metric",
    doc="Validation metrics have val_ before their names, which those of a KerasTrial had not; "
    "TensorFlow 1 called the metric accuracy acc.",
    safety=Safety.SAFE,
    plan=plan,
    generations=ALL,
    cases=(
        Case(
            _KERAS_TRIAL | _config("error"),
            _config("val_error"),
            says="what was reported as error is val_error now",
        ),
        Case(_KERAS_TRIAL | _config("loss"), _config("val_loss")),
        Case(_KERAS_TRIAL | _config("acc"), _config("val_accuracy")),
        Case(_KERAS_TRIAL | _config("eror"), {}, says="eror is none of this trial's validation"),
        Case(_compiled("'accuracy'") | _config("val_acc"), _config("val_accuracy")),
        Case(_compiled("'acc'") | _config("val_acc"), {}),
        Case(_compiled("'acc', 'accuracy'") | _config("val_acc"), {}, says="say which"),
        Case(_compiled("'accuracy'") | _config("val_loss"), {}),
    ),
)
