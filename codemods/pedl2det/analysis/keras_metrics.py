"""The metrics of a ``KerasTrial``, read from its methods, and what Keras will call them.

A ``KerasTrial`` names its metrics by role in two dicts. Keras has one list. It puts ``val_`` before
the names of a validation, and the output's name before those where a model has several.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from pedl2det.analysis.flow import Function
from pedl2det.analysis.metric_names import MetricNames
from pedl2det.analysis.models import is_keras_trial
from pedl2det.analysis.old_keras import KERAS
from pedl2det.analysis.trial import Trial

FUNCTIONAL = "pedl.frameworks.keras.KerasFunctionalTrial"
ELEMENTWISE_MEAN = "pedl.frameworks.util.elementwise_mean"
ROLES = ("training", "validation")


@dataclass(frozen=True)
class Metric:
    """A metric of one role.

    Attributes:
        role: ``training`` or ``validation``.
        name: its key in the dict, under which the old trial reports it.
        output: the output that it is about, of a functional trial.
        function: the expression of its function.
    """

    role: str
    name: str
    output: str | None
    function: ast.expr


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
    def metrics(self) -> list[Metric] | None:
        """The metrics of both roles; None if they cannot be read without running the trial."""
        found: list[Metric] = []
        for role in ROLES:
            method = self._trial.flow.method(self.owner, f"{role}_metrics")
            if method is not None:
                read = self._read(role, method)
                if read is None:
                    return None
                found += read
        return found

    @cached_property
    def has_any(self) -> bool:
        """Whether there may be metrics at all."""
        return self.metrics is None or bool(self.metrics)

    @cached_property
    def has_several_outputs(self) -> bool | None:
        """Whether the model has several outputs; None if that is not visible."""
        if not self.is_functional:
            return False
        named = {str(one.output) for one in self.metrics or ()} | set(self._outputs_of_losses())
        return len(named) > 1 or None

    @cached_property
    def is_plain(self) -> bool:
        """Whether all metrics are functions, and no name belongs to two of them."""
        found = self.metrics
        if found is None or self.has_several_outputs is None or self.clashing:
            return False
        return all(self._is_function(one.function) for one in found)

    @cached_property
    def clashing(self) -> set[str]:
        """The names that are another metric's in training than in validation."""
        by_role: dict[str, dict[str, str]] = {role: {} for role in ROLES}
        for one in self.metrics or ():
            by_role[one.role][one.name] = ast.dump(one.function) + str(one.output)
        training, validation = (by_role[role] for role in ROLES)
        return {name for name in training.keys() & validation if training[name] != validation[name]}

    @cached_property
    def names(self) -> MetricNames:
        """What becomes of the names that the trial reports, as far as they are visible."""
        training, validation = {"loss": "loss"}, {"loss": "val_loss"}
        for one in self.metrics or ():
            new = one.name
            if one.role == "validation" and one.name in self.clashing:
                new = f"validation_{one.name}"
            if self.has_several_outputs:
                new = f"{one.output}_{new.removeprefix(f'{one.output}_')}"
            if one.role == "training":
                training[one.name] = new
            else:
                validation[one.name] = f"val_{new}"
        own = self._trial.flow.method(self.owner, "compute_validation_metrics")
        if own is not None:
            validation = {name: name for name in self._computed(own)}
        return MetricNames(training, validation)

    def _computed(self, method: Function) -> Iterator[str]:
        """The names of metrics that ``compute_validation_metrics`` returns, as far as visible."""
        for value in self._trial.flow.returned(method):
            for origin in self._trial.flow.origins(value, ("validation_metrics",)):
                if isinstance(origin.node, ast.Dict) and not origin.path:
                    for key in origin.node.keys:
                        if isinstance(key, ast.Constant):
                            yield str(key.value)

    def _read(self, role: str, method: Function) -> list[Metric] | None:
        """The metrics that a method returns as a dict, if that is all that it returns."""
        found: list[Metric] = []
        for value in self._trial.flow.returned(method):
            for origin in self._trial.flow.origins(value):
                node = origin.node
                if not isinstance(node, ast.Dict) or node is not value:  # not as it is written
                    return None
                for key, given in zip(node.keys, node.values, strict=True):
                    metric = self._metric(role, key, given)
                    if metric is None:
                        return None
                    found.append(metric)
        return found

    def _metric(self, role: str, key: ast.expr | None, value: ast.expr) -> Metric | None:
        name = self._text(key)
        if name is None:
            return None
        output: str | None = None
        if self.is_functional:
            if not isinstance(value, ast.Tuple) or len(value.elts) != 2:
                return None
            output, value = self._text(value.elts[0]), value.elts[1]
            if output is None:
                return None
        return Metric(role, name, output, self._without_reducer(value))

    def _text(self, node: ast.expr | None) -> str | None:
        """The text that an expression certainly is."""
        origins = self._trial.flow.origins(node) if node is not None else []
        texts = {getattr(one.node, "value", None) if not one.path else None for one in origins}
        found = texts.pop() if len(texts) == 1 else None
        return found if isinstance(found, str) else None

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

    def _outputs_of_losses(self) -> Iterator[str]:
        method = self._trial.flow.method(self.owner, "losses")
        for value in self._trial.flow.returned(method) if method is not None else ():
            for origin in self._trial.flow.origins(value):
                if isinstance(origin.node, ast.Dict):
                    for key in origin.node.keys:
                        if isinstance(key, ast.Constant):
                            yield str(key.value)


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
