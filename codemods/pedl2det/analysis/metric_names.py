"""The names under which a trial reports its metrics, before and after its migration."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import pedl2det_names as names
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import ConfigNeed


@dataclass(frozen=True)
class MetricNames:
    """What the metrics of an old trial are called by the new one.

    The new trial may report more: its training and its validation share one list of metrics.

    Attributes:
        training: new names of training metrics by their old ones.
        validation: those of validation metrics.
    """

    training: dict[str, str]
    validation: dict[str, str]

    def of(self, kind: str) -> dict[str, str]:
        """The names in a report of this kind."""
        return self.training if kind == "training" else self.validation

    @property
    def described(self) -> str:
        """The validation metrics with their new names, for people."""
        return ", ".join(f"{old} is {new}" for old, new in self.validation.items() if old != new)


def renamed_since_tf1(trial: Trial, call: ast.Call) -> tuple[ConfigNeed, ...]:
    """What ``metrics=["accuracy"]`` and its like are called today, and were not in TensorFlow 1."""
    found: dict[str, str] = {}
    asked_for = _asked(trial, call)
    for asked in asked_for:
        for words in names.METRIC_NAMES:
            if asked in words:
                found |= {word: asked for word in words if word != asked}
    needs = []
    for old, new in found.items():
        if old in asked_for:
            continue
        for name in (f"val_{old}", *_searched(trial, old)):
            need = ConfigNeed(f"metric:{name}", name.removesuffix(old) + new)
            if need not in needs:
                needs.append(need)
    return tuple(needs)


def _asked(trial: Trial, call: ast.Call) -> set[str]:
    """The names of metrics in the arguments of a ``compile``.

    Where the list cannot be followed, every string of the project and of its configs may be one.
    """
    given = [one.value for one in call.keywords if one.arg == "metrics"] or call.args[2:3]
    found: set[str] = set()
    for node in (one for value in given for one in trial.flow.members(value)):
        match node:
            case ast.Constant(value=str(name)):
                found.add(name)
            case ast.Attribute() | ast.arg() | ast.Subscript():
                found |= _strings(trial)
    return found


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


def _searched(trial: Trial, word: str) -> Iterator[str]:
    """The names of outputs' metrics in the configs that end with a word."""
    for _, config in trial.configs:
        searcher = config.get("searcher")
        metric = searcher.get("metric") if isinstance(searcher, dict) else None
        metric = metric if isinstance(metric, str) else ""
        if metric.endswith(f"_{word}") and not metric.endswith(names.OTHER_METRICS):
            yield metric
