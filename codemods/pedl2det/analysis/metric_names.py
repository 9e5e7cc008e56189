"""The names under which a trial reports its metrics, before and after its migration."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import pedl2det_names as names
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import ConfigNeed


@dataclass(frozen=True)
class MetricNames:
    """What the metrics of a ``KerasTrial`` are called by the new one.

    The new trial may report more: its training and its validation share one list of metrics.

    Attributes:
        training: new names of training metrics by their old ones; the others keep theirs.
        validation: the names of validation metrics that are visible.
        prefix: what is put before the name of every validation metric.
    """

    training: Mapping[str, str] = field(default_factory=dict)
    validation: frozenset[str] = frozenset()
    prefix: str = "val_"

    def new(self, kind: str, old: str) -> str:
        """The name of today of a metric in a report of this kind."""
        if kind == "training":
            return self.training.get(old, old)
        has_prefix = old.startswith(self.prefix) and old not in self.validation
        return old if has_prefix else f"{self.prefix}{old}"


@dataclass(frozen=True)
class Asked:
    """The metrics that the calls of ``compile`` ask for.

    Attributes:
        names: their names; where a list cannot be followed, every text that may be one.
        is_certain: whether each call asks for just these.
    """

    names: frozenset[str]
    is_certain: bool = True

    def todays_name(self, metric: str) -> str:
        """The name under which Keras reports a metric today; the same if no other is certain.

        TensorFlow 1 had one name for the metrics ``acc`` and ``accuracy``; Keras has the name by
        which the code asks.
        """
        if metric.endswith(names.OTHER_METRICS) or metric.removeprefix("val_") in self.names:
            return metric
        for words in names.METRIC_NAMES:
            asked = [word for word in words if word in self.names]
            for word in words:
                if len(asked) == 1 and f"_{metric}".endswith(f"_{word}"):
                    return metric.removesuffix(word) + asked[0]
        return metric


def is_renamed(old: str, new: str) -> bool:
    """Whether one metric has these names, in TensorFlow 1 and today."""
    words = (word for words in names.METRIC_NAMES for word in words)
    asked = frozenset(word for word in words if f"_{new}".endswith(f"_{word}"))
    return not new.endswith(names.OTHER_METRICS) and Asked(asked).todays_name(old) == new


def asked_for(trial: Trial, calls: Iterable[ast.Call]) -> Asked:
    """The metrics of all of some calls of ``compile``."""
    asked = {_asked(trial, call) for call in calls}
    if len(asked) == 1:
        return asked.pop()
    return Asked(frozenset(name for one in asked for name in one.names), is_certain=False)


def renamed_since_tf1(trial: Trial, call: ast.Call) -> tuple[ConfigNeed, ...]:
    """What ``metrics=["accuracy"]`` and its like are called today, and were not in TensorFlow 1."""
    asked = _asked(trial, call)
    words = [word for words in names.METRIC_NAMES for word in words]
    metrics = dict.fromkeys([*(f"val_{word}" for word in words), *_searched(trial)])
    return tuple(
        ConfigNeed(f"metric:{metric}", new)
        for metric in metrics
        if (new := asked.todays_name(metric)) != metric
    )


def _asked(trial: Trial, call: ast.Call) -> Asked:
    """The names of metrics in the arguments of a ``compile``.

    Where the list cannot be followed, every string of the project and of its configs may be one.
    """
    given = [one.value for one in call.keywords if one.arg == "metrics"] or call.args[2:3]
    found: set[str] = set()
    is_certain = not any(one.arg is None for one in call.keywords)
    for node in (one for value in given for one in trial.flow.members(value)):
        match node:
            case ast.Constant(value=str(name)) | ast.FunctionDef(name=name):
                found.add(name)
            case ast.Call(keywords=keywords):
                named = (one.value for one in keywords if one.arg == "name")
                found |= {str(one.value) for one in named if isinstance(one, ast.Constant)}
            case ast.Attribute() | ast.arg() | ast.Subscript():
                found |= _strings(trial)
                is_certain = False
    return Asked(frozenset(found), is_certain)


def _strings(trial: Trial) -> set[str]:
    """Every string of the project's code and of its hyperparameters."""
    constants = [node for source in trial.modules for node in source.names.of(ast.Constant)]
    found = {node.value for node in constants if isinstance(node.value, str)}
    waiting: list[object] = [config.get("hyperparameters") for _, config in trial.configs]
    while waiting:
        match waiting.pop():
            case str(text):
                found.add(text)
            case dict() as parts:
                waiting += parts.values()
            case list() as parts:
                waiting += parts
    return found


def _searched(trial: Trial) -> Iterator[str]:
    """The metrics that the configs name."""
    for _, config in trial.configs:
        searcher = config.get("searcher")
        metric = searcher.get("metric") if isinstance(searcher, dict) else None
        if isinstance(metric, str):
            yield metric
