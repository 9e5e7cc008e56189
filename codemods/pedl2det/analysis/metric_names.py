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
    for asked in _asked(trial, call):
        for words in names.METRIC_NAMES:
            if asked in words:
                found |= {word: asked for word in words if word != asked}
    asked_for = set(_asked(trial, call))
    needs = []
    for old, new in found.items():
        if old in asked_for:
            continue
        for name in (f"val_{old}", *_searched(trial, old)):
            need = ConfigNeed(f"metric:{name}", name.removesuffix(old) + new)
            if need not in needs:
                needs.append(need)
    return tuple(needs)


def _asked(trial: Trial, call: ast.Call) -> Iterator[str]:
    """The names of metrics in the arguments of a ``compile``."""
    given = [one.value for one in call.keywords if one.arg == "metrics"] or call.args[2:3]
    waiting = list(given)
    seen: set[ast.AST] = set()
    while waiting:
        for origin in trial.flow.origins(waiting.pop()):
            if origin.node in seen:
                continue
            seen.add(origin.node)
            match origin.node:
                case ast.Constant(value=str(name)):
                    yield name
                case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
                    waiting += parts
                case ast.BinOp(left=left, right=right):
                    waiting += [left, right]


def _searched(trial: Trial, word: str) -> Iterator[str]:
    """The names of outputs' metrics in the configs that end with a word."""
    for _, config in trial.configs:
        searcher = config.get("searcher")
        metric = searcher.get("metric") if isinstance(searcher, dict) else None
        metric = metric if isinstance(metric, str) else ""
        if metric.endswith(f"_{word}") and not metric.endswith(names.OTHER_METRICS):
            yield metric
