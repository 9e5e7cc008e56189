"""The metrics of a ``KerasTrial``, read from its methods, and what Keras will call them.

A ``KerasTrial`` names its metrics by role in two dicts. Keras has one list, and puts ``val_``
before the names of a validation.
"""

from __future__ import annotations

import ast
from functools import cached_property

from pedl2det.analysis.flow import Function
from pedl2det.analysis.metric_names import MetricNames
from pedl2det.analysis.models import is_keras_trial
from pedl2det.analysis.old_keras import KERAS
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import ConfigNeed

FUNCTIONAL = "pedl.frameworks.keras.KerasFunctionalTrial"
ELEMENTWISE_MEAN = "pedl.frameworks.util.elementwise_mean"
ROLES = ("training", "validation")
#: Configs name validation metrics as the new trial reports them.
RENAMED = ConfigNeed("keras_trial_metrics", True)


class KerasTrialMetrics:
    """What is seen of the metrics of one ``KerasTrial``.

    Args:
        trial: the project.
        owner: the trial's class.
    """

    def __init__(self, trial: Trial, owner: ast.ClassDef) -> None:
        self._trial = trial
        self.owner = owner

    @cached_property
    def is_functional(self) -> bool:
        """Whether metrics and losses name the outputs that they are about."""
        return any(
            self._trial.base_name(base) == FUNCTIONAL
            for one in self._trial.flow.family(self.owner)
            for base in one.bases
        )

    @cached_property
    def roles(self) -> list[str]:
        """The roles for which a method returns metrics, maybe none."""
        return [role for role in ROLES if self._methods(role)]

    @cached_property
    def has_any(self) -> bool:
        """Whether there may be metrics at all."""
        return any(self._read(role) != {} for role in self.roles)

    @cached_property
    def is_plain(self) -> bool:
        """Whether all metrics are visible functions, and no name belongs to two of them."""
        read = [self._read(role) for role in self.roles]
        return (
            not self.is_functional
            and not self.clashing
            and all(
                metrics is not None and all(map(self._is_function, metrics.values()))
                for metrics in read
            )
        )

    @cached_property
    def clashing(self) -> set[str]:
        """The names that are another metric's in training than in validation."""
        training, validation = (self._read(role) or {} for role in ROLES)
        return {
            name
            for name in training.keys() & validation
            if ast.dump(training[name]) != ast.dump(validation[name])
        }

    @cached_property
    def names(self) -> MetricNames:
        """What becomes of the names that the trial reports."""
        training = {name: f"training_{name}" for name in self.clashing}
        own = self._trial.flow.method(self.owner, "compute_validation_metrics")
        known = frozenset(self._read("validation") or ())
        return MetricNames(training, known, prefix="" if own else "val_")

    def _methods(self, role: str) -> list[Function]:
        return list(self._trial.flow.overrides(self.owner, f"{role}_metrics"))

    def _read(self, role: str) -> dict[str, ast.expr] | None:
        """The metrics of a role by their names, if one dict is all that is returned."""
        found: dict[str, ast.expr] = {}
        methods = self._methods(role)
        values = [one for method in methods for one in self._trial.flow.returned(method)]
        if len(methods) > 1 or not all(isinstance(one, ast.Dict) for one in values):
            return None
        for value in values:
            assert isinstance(value, ast.Dict)
            for key, metric in zip(value.keys, value.values, strict=True):
                if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                    return None
                found[key.value] = self._without_reducer(metric)
        return found

    def _without_reducer(self, value: ast.expr) -> ast.expr:
        """The function of ``(function, elementwise_mean)``; any other expression as it is."""
        match value:
            case ast.Tuple(elts=[function, reducer]) if (
                self._trial.modules.meaning(reducer) == ELEMENTWISE_MEAN
            ):
                return function
        return value

    def _is_function(self, node: ast.expr) -> bool:
        origins = self._trial.flow.origins(node)
        if origins and all(isinstance(one.node, Function | ast.Lambda) for one in origins):
            return True
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
            return self._trial.flow.method(self.owner, node.attr) is not None
        today = self._trial.today(node)
        return today.startswith(f"{KERAS}.") and today.rpartition(".")[2].islower()


def keras_trials(trial: Trial) -> list[KerasTrialMetrics]:
    """The metrics of each class that derives from ``KerasTrial`` or its functional kind."""
    return [KerasTrialMetrics(trial, one) for one in trial.roots if is_keras_trial(trial, one)]


def metric_names(trial: Trial, owner: ast.ClassDef | None = None) -> MetricNames | None:
    """What the metrics of a ``KerasTrial`` are called by the new one.

    Args:
        trial: the project.
        owner: the trial's class; the first one that no other derives from if None.

    Returns:
        The names; None for other trials, whose metrics keep theirs.
    """
    classes = trial.concrete if owner is None else [owner]
    found = [KerasTrialMetrics(trial, one) for one in classes if is_keras_trial(trial, one)]
    return found[0].names if found else None
