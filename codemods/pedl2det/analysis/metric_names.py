"""The names under which a trial reports its metrics, before and after its migration.

A ``KerasTrial`` names its metrics by role in two dicts, which its methods return. Keras has one
list, and puts ``val_`` before the names of a validation.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field

import pedl2det_names as names
from pedl2det.analysis.flow.values import argument
from pedl2det.analysis.models import is_keras_trial
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import ConfigNeed


@dataclass(frozen=True)
class MetricNames:
    """The names of the metrics of a ``KerasTrial`` after its migration.

    The new trial may report more: its training and its validation share one list of metrics.
    """

    #: New names of training metrics by their old ones; the others keep theirs.
    training: Mapping[str, str] = field(default_factory=dict)
    prefix: str = "val_"  #: the prefix of every validation metric
    #: New names of validation metrics by their old ones, if it is not the prefix alone.
    validation: Mapping[str, str] = field(default_factory=dict)

    def new(self, kind: str, old: str) -> str:
        """Today's name of a metric in a report of this kind."""
        if kind == "training":
            return self.training.get(old, old)
        new = old if old.startswith(self.prefix) else f"{self.prefix}{old}"
        return self.validation.get(old, new)


def todays_name(metric: str, asked: Set[str]) -> str:
    """The name under which Keras reports a metric today; the same if no other is certain."""
    # TensorFlow 1 reported ``acc`` and ``accuracy`` under one name; Keras reports the name that
    # the code uses.
    if metric.endswith(names.keras.OTHER_METRICS) or metric.removeprefix("val_") in asked:
        return metric
    for words in names.keras.METRIC_NAMES:
        of_code = [word for word in words if word in asked]
        for word in words:
            if len(of_code) == 1 and f"_{metric}".endswith(f"_{word}"):
                return metric.removesuffix(word) + of_code[0]
    return metric


def is_renamed(old: str, new: str) -> bool:
    """Whether a metric has the old name in TensorFlow 1 and the new one today."""
    words = (word for words in names.keras.METRIC_NAMES for word in words)
    asked = {word for word in words if f"_{new}".endswith(f"_{word}")}
    return not new.endswith(names.keras.OTHER_METRICS) and todays_name(old, asked) == new


def renamed_since_tf1(trial: Trial, call: ast.Call) -> tuple[ConfigNeed, ...]:
    """The new names of metrics, such as ``accuracy``, that TensorFlow 1 reported under others."""
    asked = asked_for(trial, call)
    words = [word for words in names.keras.METRIC_NAMES for word in words]
    named = [
        metric for _, metric in trial.settings("searcher", "metric") if isinstance(metric, str)
    ]
    metrics = dict.fromkeys([*(f"val_{word}" for word in words), *named])
    return tuple(
        ConfigNeed(f"metric:{metric}", new)
        for metric in metrics
        if (new := todays_name(metric, asked)) != metric
    )


def asked_for(trial: Trial, *calls: ast.Call) -> set[str]:
    """The names of metrics in the arguments of calls of ``compile``."""
    arguments = [argument(call, "metrics", 2) for call in calls]
    hidden = any(keyword.arg is None for call in calls for keyword in call.keywords)
    asked = _strings(trial) if hidden and None in arguments else set()
    for node in (node for metrics in arguments if metrics for node in trial.flow.members(metrics)):
        match node:
            case ast.Constant(value=str(name)) | ast.FunctionDef(name=name):
                asked.add(name)
            case ast.Call(keywords=keywords):
                named = (keyword.value for keyword in keywords if keyword.arg == "name")
                asked |= {str(value.value) for value in named if isinstance(value, ast.Constant)}
            case ast.Attribute() | ast.arg() | ast.Subscript():
                asked |= _strings(trial)  # it cannot be followed: any string may be one
    return asked


def strings_in(hyperparameters: object) -> set[str]:
    """Every string of the hyperparameters of a config, or of several."""
    return set(re.findall(r"'(\w+)'(?!:)", str(hyperparameters)))  # but no keys


def _strings(trial: Trial) -> set[str]:
    """The strings in the hyperparameters if one names a metric, else those in the code too."""
    strings = strings_in([config.get("hyperparameters") for _, config in trial.configs])
    if any(word in strings for words in names.keras.METRIC_NAMES for word in words):
        return strings
    constants = [node for source in trial.modules for node in source.names.of(ast.Constant)]
    return strings | {node.value for node in constants if isinstance(node.value, str)}


#: Configs name validation metrics as the new trial reports them.
RENAMED = ConfigNeed("keras_trial_metrics", True)


def keras_trials(trial: Trial) -> list[ast.ClassDef]:
    """The classes that derive from ``KerasTrial`` or its functional kind."""
    return [root for root in trial.roots if is_keras_trial(trial, root)]


def metric_names(trial: Trial, owner: ast.ClassDef | None = None) -> MetricNames | None:
    """The names of the metrics of a ``KerasTrial`` after its migration; None for other trials.

    Without an owner, take the first class that no other derives from. A name that means different
    metrics in training and in validation gets the prefix ``training_``.
    """
    classes = trial.concrete if owner is None else [owner]
    owner = next((candidate for candidate in classes if is_keras_trial(trial, candidate)), None)
    if owner is None:
        return None
    training, read = (_metrics(trial, owner, role) for role in ("training", "validation"))
    validation = {name.removeprefix("val_"): metric for name, metric in read.items()}
    both = [name for name in training if name in validation]
    clashing = [name for name in both if ast.dump(training[name]) != ast.dump(validation[name])]
    method = trial.flow.method(owner, "compute_validation_metrics")
    new = {name: f"training_{name}" for name in clashing}
    if method:
        return MetricNames(new, prefix="")
    bare = {name: name.removeprefix("val_") for name in read}
    twice = [name for name in read if bare[name] in ("loss", *(read.keys() - {name}))]
    return MetricNames(new, "val_", {name: f"val_val_{bare[name]}" for name in twice})


_ONE_LIST = (
    "the metrics of training and of validation are one list, and are reported for both; in a "
    "validation each has {prefix} before its name, and one of the training that shares its name "
    "with another of the validation is called training_NAME"
)
_OWN_NAMES = (
    "what compute_validation_metrics returns is reported in place of all other metrics; before "
    "it Keras reads the validation data once more, and draws again what they draw at random"
)


def note_on_names(trial: Trial, owner: ast.ClassDef) -> str:
    """The note for the user on the metric names of a ``KerasTrial``."""
    names = metric_names(trial, owner)
    prefix = names.prefix if names is not None else ""
    return _ONE_LIST.format(prefix=prefix) if prefix else _OWN_NAMES


def _metrics(trial: Trial, owner: ast.ClassDef, role: str) -> dict[str, ast.expr]:
    """The metrics of a role by name, if its method only returns one dict; else none."""
    methods = trial.flow.overrides(owner, f"{role}_metrics")
    match [value for method in methods for value in trial.flow.returned(method)]:
        case [ast.Dict(keys=keys, values=values)]:
            pairs = zip(keys, values, strict=True)
            return {str(key.value): value for key, value in pairs if isinstance(key, ast.Constant)}
    return {}
