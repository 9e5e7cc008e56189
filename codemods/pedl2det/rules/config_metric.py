"""C106: the searcher's metric by its new name."""

from __future__ import annotations

from pedl2det.facts.config import Config, Entry
from pedl2det.facts.project import TrialProject
from pedl2det.findings import Finding, Kind, Unclear
from pedl2det.flow import keras_metrics
from pedl2det.plan import Plan
from pedl2det.rules.rule import ALL, Case, Files, Rule, Safety, trial
from pedl2det.tables.legacy import METRIC_NAMES, OTHER_METRICS

_ACCURACY = {"acc": "accuracy", "val_acc": "val_accuracy"}


def plan(project: TrialProject, plan: Plan) -> None:
    """Rename ``searcher.metric`` where the trial reports it under another name."""
    for config in project.configs:
        entry = config.entry("searcher", "metric")
        if entry is None or entry.scalar is None:
            continue
        if keras_metrics.is_keras_trial(project):
            _plan_keras_trial(project, plan, config, entry)
        else:
            _plan_compiled(project, plan, config, entry)


def _plan_keras_trial(project: TrialProject, plan: Plan, config: Config, entry: Entry) -> None:
    try:
        names = keras_metrics.names_of(project).validation
    except Unclear:
        return  # the rule of the trial says so
    old = str(entry.scalar)
    new = names.get(old) or names.get(_ACCURACY.get(old, ""))
    if new is None:
        known = ", ".join(sorted(names))
        message = f"searcher.metric: {old} is none of this trial's validation metrics: {known}"
        plan.findings.append(Finding(Kind.PERSON, RULE.id, config.path, entry.line, message))
        return
    _rename(plan, config, entry, new)


def _plan_compiled(project: TrialProject, plan: Plan, config: Config, entry: Entry) -> None:
    """A metric is reported as the trial asks Keras for it, "acc" or "accuracy", today."""
    metric = str(entry.scalar)
    if metric.endswith(OTHER_METRICS):
        return
    for words in METRIC_NAMES:
        word = next((one for one in words if f"_{metric}".endswith(f"_{one}")), None)
        if word is None:
            continue
        named = [one for one in words if one in _written(project)]
        if len(named) > 1:
            message = f"searcher.metric: {metric}: the trial names {' and '.join(named)}: say which"
            plan.findings.append(Finding(Kind.PERSON, RULE.id, config.path, entry.line, message))
        elif named and named != [word]:
            _rename(plan, config, entry, metric.removesuffix(word) + named[0])
        return


def _written(project: TrialProject) -> set[str]:
    """Every text and name in the code that may stand for a metric."""
    kinds = ("value", "name", "attr")
    return {
        text
        for source in project.sources.values()
        for node in source.names.nodes
        for kind in kinds
        if isinstance(text := getattr(node, kind, None), str)
    }


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
    "TensorFlow 1 reported accuracy as acc and mae as mean_absolute_error.",
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
        Case(_compiled("'mae'") | _config("val_a_mean_absolute_error"), _config("val_a_mae")),
        Case(_compiled("'accuracy'") | _config("val_binary_accuracy"), {}),
        Case(_compiled("'acc', 'accuracy'") | _config("val_acc"), {}, says="say which"),
        Case(_compiled("'accuracy'") | _config("val_loss"), {}),
    ),
)
