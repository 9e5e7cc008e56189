"""The metrics of a ``KerasTrial``, read from its methods, and what Keras will call them.

A ``KerasTrial`` names its metrics by role in two dicts. Keras has one list; it puts ``val_`` before
the names of a validation, and before those the output's name where a model has several.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from pedl2det.facts.arguments import arguments_of
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.findings import Unclear
from pedl2det.flow import where
from pedl2det.flow.metric_names import MetricNames
from pedl2det.tables.keras_names import KERAS, public

FUNCTIONAL = "pedl.frameworks.keras.KerasFunctionalTrial"
KERAS_TRIALS = {"pedl.frameworks.keras.KerasTrial", FUNCTIONAL}
ELEMENTWISE_MEAN = "pedl.frameworks.util.elementwise_mean"
ROLES = ("training", "validation")


@dataclass(frozen=True)
class Metric:
    """A metric of one role.

    Attributes:
        role: "training" or "validation".
        name: its key in the dict, under which the old trial reports it.
        output: the output that it is about, of a functional trial.
        function: the expression of its function.
    """

    role: str
    name: str
    output: str | None
    function: ast.expr

    @property
    def own_name(self) -> str:
        """Its name without the output's, which Keras puts before it where there are several."""
        return self.name.removeprefix(f"{self.output}_")


def is_keras_trial(project: TrialProject) -> bool:
    """Whether the trial is a ``KerasTrial`` or a ``KerasFunctionalTrial``."""
    return bool(project.trials) and _base(project) in KERAS_TRIALS


def is_functional(project: TrialProject) -> bool:
    """Whether the trial is a ``KerasFunctionalTrial``."""
    return _base(project) == FUNCTIONAL


def metrics_of(project: TrialProject) -> list[Metric]:
    """The metrics of both roles.

    Raises:
        Unclear: they cannot be read without running the trial.
    """
    methods = where.methods(project)
    if "validation_metrics" not in methods:
        raise Unclear(project.trial[1], "the trial has no validation_metrics of its own")
    return [
        metric
        for role in ROLES
        if f"{role}_metrics" in methods
        for metric in _read(project, role, methods[f"{role}_metrics"])
    ]


def has_several_outputs(project: TrialProject, metrics: list[Metric]) -> bool:
    """Whether Keras puts the name of an output before those of its metrics.

    Raises:
        Unclear: a functional trial names one output, and its model may have more.
    """
    _, node = project.trial
    shown = [len(found.elts) for found in _output_lists(project)]
    if not is_functional(project):
        if any(number > 1 for number in shown):
            raise Unclear(node, "a model of several outputs: a KerasTrial names metrics of one")
        return False
    losses = where.methods(project).get("losses")
    named = {str(metric.output) for metric in metrics}
    for part in ast.walk(losses) if losses is not None else ():
        if isinstance(part, ast.Return) and isinstance(part.value, ast.Dict):
            named |= {str(key.value) for key in part.value.keys if isinstance(key, ast.Constant)}
    if len(named) == 1 and shown != [1]:
        message = f"only one output is named here ({named.pop()}), and the model may have more"
        raise Unclear(node, f"{message}: write Model(inputs=..., outputs=[...])")
    return len(named) > 1


def names_of(project: TrialProject) -> MetricNames:
    """What becomes of the names that the trial reports.

    Raises:
        Unclear: that cannot be seen, or two would get the same name.
    """
    metrics = metrics_of(project)
    several = has_several_outputs(project, metrics)
    training, validation = {"loss": "loss"}, {"loss": "val_loss"}
    taken = {"loss": "", **({f"{metric.output}_loss": "" for metric in metrics} if several else {})}
    for metric in metrics:
        new = f"{metric.output}_{metric.own_name}" if several else metric.name
        function = ast.dump(metric.function) + str(metric.output)
        if taken.setdefault(new, function) != function:
            message = f"{metric.name}: another metric is called {new} too: give one another name"
            raise Unclear(metric.function, message)
        if metric.role == "training":
            training[metric.name] = new
        else:
            validation[metric.name] = f"val_{new}"
    clash = {f"val_{name}" for name in taken} & taken.keys()
    if clash:
        message = f"{clash.pop()} would be a training and a validation metric: name it otherwise"
        raise Unclear(project.trial[1], message)
    return MetricNames(training, validation)


def _base(project: TrialProject) -> str | None:
    source, node = project.line[-1]
    bases = [source.names.qualified(base) for base in node.bases]
    return next((base for base in bases if base in KERAS_TRIALS), None)


def _read(project: TrialProject, role: str, method: ast.FunctionDef) -> Iterator[Metric]:
    source, _ = project.trial
    body = method.body[1:] if ast.get_docstring(method) is not None else method.body
    match body:
        case [ast.Return(value=ast.Dict(keys=keys, values=values))] if not method.decorator_list:
            pass
        case _:
            message = f"{method.name}: expected nothing but `return {{name: metric, ...}}`"
            raise Unclear(method, f"{message}, so that the names can be seen")
    for key, value in zip(keys, values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            raise Unclear(key or value, f"{method.name}: a name of a metric is not written here")
        output, function = _of_output(value) if is_functional(project) else (None, value)
        function = without_reducer(source, function)
        if not _is_function(project, function):
            message = f"{key.value}: {ast.unparse(function)} is not seen to be a function, and "
            raise Unclear(value, f"{message}only a function can be given this name")
        yield Metric(role, key.value, output, function)


def _of_output(value: ast.expr) -> tuple[str, ast.expr]:
    match value:
        case ast.Tuple(elts=[ast.Constant(value=str(output)), function]):
            return output, function
    raise Unclear(value, f"{ast.unparse(value)}: expected (name of an output, metric)")


def without_reducer(source: Source, value: ast.expr) -> ast.expr:
    """The function of ``(function, elementwise_mean)``; any other expression as it is."""
    match value:
        case ast.Tuple(elts=[function, reducer]) if (
            source.names.qualified(reducer) == ELEMENTWISE_MEAN
        ):
            return function
    return value


def _is_function(project: TrialProject, node: ast.expr) -> bool:
    source, _ = project.trial
    if isinstance(node, ast.Lambda):
        return True
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
        method = where.methods(project).get(node.attr)
        return method is not None and not method.decorator_list
    meaning = public(source.names.qualified(node))
    if meaning.startswith(f"{KERAS}."):
        return meaning.rpartition(".")[2].islower()
    module, _, name = meaning.lstrip(".").rpartition(".")
    if isinstance(node, ast.Name):
        is_global = source.names.binder(node) is source.tree
        return is_global and project.resolve(project.module_of(source), node.id) is not None
    return project.resolve(module, name) is not None


def _output_lists(project: TrialProject) -> Iterator[ast.List | ast.Tuple]:
    """The outputs that are listed where a model is made."""
    for source in project.sources.values():
        for node in source.names.of(ast.Call):
            if public(source.names.qualified(node.func)).rpartition(".")[2] != "Model":
                continue
            given = arguments_of(node, ("inputs", "outputs")) or {}
            outputs = given.get("outputs", given.get("output"))
            if isinstance(outputs, ast.List | ast.Tuple):
                yield outputs
