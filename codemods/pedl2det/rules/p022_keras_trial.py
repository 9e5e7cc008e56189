"""A ``KerasTrial`` compiles its model at the end of ``build_model``, as the old harness did.

It names its metrics by role, in two dicts. Keras has one list: ``named_metrics`` makes it, under
the names that are reported; Keras puts ``val_`` before those of a validation. Where the metrics
are not visible, or belong to outputs, ``legacy_keras`` makes the list when the code runs.
``compute_validation_metrics`` is called by a callback. ``batch_size`` is called no more. A trial
that reads what the harness set on it is carried over whole.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from pedl2det.analysis.flow import Function
from pedl2det.analysis.keras_metrics import RENAMED, KerasTrialMetrics, keras_trials
from pedl2det.analysis.loaders import RECORD_LOADERS, cuts_by_hyperparameter
from pedl2det.analysis.trial import Trial
from pedl2det.findings import Kind
from pedl2det.fixes import AddMember, Edit, Fix, Remark, ReplaceStatement
from pedl2det.rules import cases_keras_trial

ID = "P022"
NAME = "keras-trial"

_NAMED = '''\
def named_metrics(self):
    """The metrics by the names under which they are reported."""
    metrics = {metrics}
    return [
        tf.keras.metrics.MeanMetricWrapper(metric, name=name)
        for name, metric in metrics.items()
    ]
'''
_CALLBACKS = """\
def keras_callbacks(self):
    return [legacy_keras.ValidationMetrics(self)]
"""
_TWO_CALLBACKS = "compute_validation_metrics is one more callback beside these"
_OWN = "compute_validation_metrics"
_ONE_LIST = (
    "the metrics of training and of validation are one list, and are reported for both; in a "
    "validation each has {prefix} before its name"
)
_OWN_NAMES = f"what {_OWN} returns is reported in place of all other metrics"
_NAMED_METRICS = "named_metrics"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite each ``KerasTrial`` of the project."""
    for metrics in keras_trials(trial):
        yield _metrics(trial, metrics)
        family = trial.flow.family(metrics.owner)
        found = [trial.flow.own_method(one, "build_model") for one in family]
        yield from _build_models(trial, metrics, [one for one in found if one is not None])
        for owner in family:
            if trial.flow.own_method(owner, _OWN) is not None:
                yield from _own_validation(trial, owner)
            size = trial.flow.own_method(owner, "batch_size")
            if size is not None:
                yield from _batch_size(trial, size)
        yield from _set_by_harness(trial, metrics.owner)


def _metrics(trial: Trial, metrics: KerasTrialMetrics) -> Fix:
    """Give the trial ``named_metrics``, and say what metrics are called now."""
    source = trial.modules.home(metrics.owner)
    edits: list[Edit] = []
    imports: tuple[str, ...] = ()
    if metrics.has_any and _is_idiomatic(trial, metrics):
        calls = [f"self.{role}_metrics()" for role in metrics.roles]
        joined = f"{{{', '.join(f'**{call}' for call in calls)}}}" if len(calls) > 1 else calls[0]
        edits.append(AddMember(metrics.owner, _NAMED.format(metrics=joined)))
        imports = ("import tensorflow as tf",)
    names = metrics.names
    note = _ONE_LIST.format(prefix=names.prefix) if names.prefix else _OWN_NAMES
    notes = ((Kind.NOTE, note),)
    need = (RENAMED,)
    return Fix(ID, source, metrics.owner, tuple(edits), (), imports, notes=notes, config=need)


def _is_idiomatic(trial: Trial, metrics: KerasTrialMetrics) -> bool:
    """Whether the trial lists its metrics itself, without a piece of ``legacy_keras``."""
    has_name = any(_NAMED_METRICS in source.text for source in trial.modules)
    return metrics.is_plain and not has_name


# build_model.


def _build_models(
    trial: Trial, metrics: KerasTrialMetrics, methods: list[Function]
) -> Iterator[Fix]:
    """Wrap and compile each model that ``build_model`` returns."""
    for method in methods:
        source = trial.modules.home(method)
        for value in trial.flow.returned(method):
            node = source.names.statement_of(value)
            is_local = isinstance(value, ast.Name) and source.names.binder(value) is method
            model = _free(source.names, method, "model", "keras_model")
            model = ast.unparse(value) if is_local else model
            optimizer = _free(source.names, method, "optimizer", "wrapped_optimizer")
            me = method.args.args[0].arg
            code = _code(trial, metrics, me, model, optimizer)
            edit = ReplaceStatement(node, code, {"value": value})
            yield Fix(ID, source, node, (edit,))


def _code(trial: Trial, metrics: KerasTrialMetrics, me: str, model: str, optimizer: str) -> str:
    """The statements that wrap, compile and return a model."""
    loss = f"{me}.{'losses' if metrics.is_functional else 'loss'}()"
    named = f"{me}.{_NAMED_METRICS}()"
    if not _is_idiomatic(trial, metrics):
        piece = "named_metrics_by_output" if metrics.is_functional else "named_metrics"
        named = f"legacy_keras.{piece}({me})"
    given = f", metrics={named}" if metrics.has_any else ""
    return (
        f"{model} = {{context}}.wrap_model({{value}})\n"
        f"{optimizer} = {{context}}.wrap_optimizer({me}.optimizer())\n"
        f"{model}.compile({optimizer}, loss={loss}{given})\n"
        f"return {model}\n"
    )


def _free(names, method: Function, *wanted: str) -> str:  # type: ignore[no-untyped-def]
    return next((one for one in wanted if not names.uses_name(method, one)), f"{wanted[0]}_")


# What the harness called or set beside.


def _own_validation(trial: Trial, owner: ast.ClassDef) -> Iterator[Fix | Remark]:
    """Have a callback call ``compute_validation_metrics``."""
    source = trial.modules.home(owner)
    callbacks = trial.flow.method(owner, "keras_callbacks")
    if callbacks is not None:
        home = trial.modules.home(callbacks)
        yield Remark(ID, home, callbacks, Kind.LEFT, _TWO_CALLBACKS)
        return
    yield Fix(ID, source, owner, (AddMember(owner, _CALLBACKS),))


def _batch_size(trial: Trial, method: Function) -> Iterator[Fix]:
    """Drop ``batch_size``, unless the trial or one of its loaders may call it."""
    attributes = [one for one in trial.modules.of(ast.Attribute) if one.attr == method.name]
    texts = [one for one in trial.modules.of(ast.Constant) if one.value == method.name]
    calls = [trial.modules.home(one).names.parents.get(one) for one in texts]
    is_read = any(_may_be_of_trial(trial, one) for one in attributes) or any(
        isinstance(one, ast.Call) and getattr(one.func, "id", "") in ("getattr", "methodcaller")
        for one in calls
    )
    is_cut = bool(trial.uses(*RECORD_LOADERS)) and not cuts_by_hyperparameter(trial)
    if not is_cut and not is_read:
        yield Fix(ID, trial.modules.home(method), method, (ReplaceStatement(method),))


def _may_be_of_trial(trial: Trial, node: ast.Attribute) -> bool:
    """Whether an attribute is not that of ``self`` in a class that is no trial."""
    owner = trial.modules.home(node).names.class_around(node)
    return owner is None or owner in trial.classes or ast.unparse(node.value) != "self"


def _set_by_harness(trial: Trial, owner: ast.ClassDef) -> Iterator[Remark]:
    """What the old harness set on the trial, where no callback sets it now."""
    for name in ("model", "validation_data_adapter"):
        for node in _reads_harness_attribute(trial, owner, name):
            message = f"{ast.unparse(node)} was set by the old harness, and nothing sets it now"
            yield Remark(ID, trial.modules.home(node), node, Kind.LEFT, message)


def _reads_harness_attribute(trial: Trial, owner: ast.ClassDef, name: str) -> list[ast.Attribute]:
    """Where methods other than ``compute_validation_metrics`` read ``self.x`` that none sets."""
    attributes = [
        node
        for one in trial.flow.family(owner)
        for node in trial.modules.home(one).names.below(one)
        if isinstance(node, ast.Attribute)
        and node.attr == name
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    ]
    if any(isinstance(one.ctx, ast.Store) for one in attributes):
        return []
    functions = {one: trial.modules.home(one).names.function_of(one) for one in attributes}
    return [one for one, function in functions.items() if getattr(function, "name", "") != _OWN]


CASES = cases_keras_trial.CASES
