"""Callbacks that act by epoch keep the epochs and the logs that they had.

``EarlyStopping`` and ``ReduceLROnPlateau`` that watch a metric of the validation become those of
Determined, which act after each validation. For all others the old harness counted an epoch of one
pass over the training data and gave them training metrics: ``legacy_keras.with_epoch_logs`` does
the same, and numbers the batches in such an epoch. It also stands where only a run shows which
callbacks there are, and which hooks they have. Lists of callbacks that certainly have no hook of
epochs or batches stay as they are.

``monitor=`` names the metric as the migrated trial reports it, ``val_accuracy`` for ``val_acc``. A
note names the callbacks that still wait for a metric of the validation, which they never get.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence

from pedl2det.analysis import callbacks, old_keras
from pedl2det.analysis.callbacks import Monitor
from pedl2det.analysis.flow import Function, Way, by_position
from pedl2det.analysis.keras_metrics import metric_names
from pedl2det.analysis.loaders import TRAINING_METHOD, pair_name, training_name
from pedl2det.analysis.metric_names import asked_for
from pedl2det.analysis.models import compiles
from pedl2det.analysis.spelling import Spelling, spell
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Edit, Fix, Remark, Replace, ReplaceStatement
from pedl2det.rules import cases_callbacks
from pedl2det.support.library import MODULE
from pedl2det_names import Age

ID = "P011"
NAME = "callbacks"

_ACTS_NOW = (
    "{callback} acts after each validation{that_reports}: the old harness gave it no metric of the "
    "validation, so it never acted there"
)
_NEVER_ACTS = (
    "{callback} monitors {metric}, a metric of the validation: it never gets it and never acts, as "
    "before"
)
_RENAMED = "monitor: what was reported as {old} is {new}"
_SHARED = "monitor: what was reported as {old} is {new}, and this text is used for more"
_NO_EPOCHS = (
    "callbacks act by epoch, which is one pass over the training data here; set records_per_epoch "
    "in the config as well: Determined's own epochs are as long, and lengths may be in epochs"
)
_NO_CONTEXT = (
    "these callbacks may act by epoch, which was one pass over the training data, and the trial's "
    "context is out of reach here"
)
_METHOD, _PIECE = "keras_callbacks", "with_epoch_logs"
_WRAP = f"return {MODULE}.{_PIECE}(context, callbacks, training_data) where the context is known"
#: Names for a list of callbacks.
_LOCAL_NAMES = ("callbacks", "own_callbacks", "trial_callbacks", "pedl_callbacks")


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite callbacks that watch the validation, and the lists of those that act by epoch."""
    is_new = trial.generation is Generation.CONTEXT
    if is_new and old_keras.age(trial) is Age.CURRENT:
        return
    found = [callbacks.monitor_of(trial, call) for call in trial.modules.of(ast.Call)]
    monitors = [one for one in found if one is not None]
    reported = _Reported(trial)
    yield from _renamed(trial, monitors, reported)
    if is_new:
        return
    watching = [one for one in monitors if callbacks.watches_validation(trial, one.call)]
    for monitor in monitors:
        if monitor in watching:
            yield _by_validation(trial, monitor, watching, reported)
        else:
            yield from _inactive(trial, monitor, reported)
    yield from _with_epochs(trial)


class _Reported:
    """The names of today of the metrics that a trial reports.

    Args:
        trial: the project.
    """

    def __init__(self, trial: Trial) -> None:
        self._keras_trial = metric_names(trial)
        compiled = compiles(trial)
        trained = [one.call for one in compiled if one.is_trained]
        self._asked = asked_for(trial, trained or [one.call for one in compiled])

    def todays_name(self, metric: str) -> str:
        """The name of today; the same if no other is certain."""
        if self._keras_trial is None:
            return self._asked.todays_name(metric)
        if not metric.startswith("val_"):
            return self._keras_trial.training.get(metric, metric)
        names = self._keras_trial.validation
        return names.get(metric) or names.get(metric.removeprefix("val_"), metric)

    def reports(self, metric: str) -> bool:
        """Whether a validation certainly reports a metric, by its name of today."""
        if self._keras_trial is None:
            return self._asked.reports(metric)
        return metric in self._keras_trial.validation.values()


def _renamed(
    trial: Trial, monitors: Sequence[Monitor], reported: _Reported
) -> Iterator[Fix | Remark]:
    """Give each ``monitor=`` the name by which its metric is reported today."""
    arguments = {one.node for one in monitors}
    done: set[ast.AST] = set()
    for monitor in monitors:
        for text in (one.node for one in monitor.origins if not one.path):
            if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
                continue
            old, new = text.value, reported.todays_name(text.value)
            if new == old:
                continue
            place = text if _only_monitored(trial, text, arguments) else monitor.node
            if place is None or place in done:
                continue
            done.add(place)
            source = trial.modules.home(place)
            if place is not text and len(monitor.origins) > 1:
                message = _SHARED.format(old=old, new=new)
                yield Remark(ID, source, place, Kind.LEFT, message, f'monitor="{new}"')
                continue
            code = trial.modules.home(text).segment(text).replace(old, new)
            notes = ((Kind.NOTE, _RENAMED.format(old=old, new=new)),)
            yield Fix(ID, source, place, (Replace(place, code),), notes=notes)


def _only_monitored(trial: Trial, text: ast.expr, arguments: Collection[ast.expr | None]) -> bool:
    """Whether a text goes nowhere but to arguments ``monitor`` of callbacks."""
    return all(use.way is Way.ARGUMENT and use.node in arguments for use in trial.flow.uses(text))


def _by_validation(
    trial: Trial, monitor: Monitor, watching: Sequence[Monitor], reported: _Reported
) -> Fix:
    """The callback of Determined in the place of one that watches the validation."""
    source, function = trial.modules.home(monitor.call), monitor.call.func
    dotted = f"determined.keras.callbacks.{monitor.callback}"
    functions = {one.call.func for one in watching}
    local = function.id if isinstance(function, ast.Name) else monitor.callback
    is_shared = any(
        node.id == local and isinstance(node.ctx, ast.Load) and node not in functions
        for node in source.names.of(ast.Name)
    )
    if is_shared:  # the name means the callback of Keras elsewhere in this file
        found = Spelling(dotted, ("import determined.keras",))
    else:
        found = spell(source, dotted, like=function if isinstance(function, ast.Name) else None)
    names = sorted(reported.todays_name(one) for one in monitor.metrics or ())
    unsure = " or ".join(one for one in names if not reported.reports(one))
    that_reports = f" that reports {unsure}" if unsure else ""
    message = _ACTS_NOW.format(callback=monitor.callback, that_reports=that_reports)
    edit = Replace(function, found.code)
    notes = ((Kind.DIFFERENT, message),)
    return Fix(ID, source, function, (edit,), imports=found.imports, notes=notes)


def _inactive(trial: Trial, monitor: Monitor, reported: _Reported) -> Iterator[Remark]:
    """Say which callbacks wait for a metric of the validation, which they never get."""
    if monitor.metrics is None or not any(one.startswith("val_") for one in monitor.metrics):
        return
    given = next((k.value for k in monitor.call.keywords if k.arg == "save_best_only"), None)
    saves_all = given is None or (isinstance(given, ast.Constant) and not given.value)
    if monitor.callback in callbacks.BY_VALIDATION or not saves_all:
        metric = " or ".join(sorted(reported.todays_name(one) for one in monitor.metrics))
        message = _NEVER_ACTS.format(callback=monitor.callback, metric=metric)
        yield Remark(ID, trial.modules.home(monitor.call), monitor.call, Kind.NOTE, message)


def _with_epochs(trial: Trial) -> Iterable[Fix | Remark]:
    """Wrap the lists of callbacks that may act by epoch, in the methods that the harness calls."""
    has_epochs = trial.configs and all(one.get("records_per_epoch") for _, one in trial.configs)
    notes = () if has_epochs else ((Kind.NOTE, _NO_EPOCHS),)
    is_counted = False
    for method in _called_by_harness(trial):
        source = trial.modules.home(method)
        for value in trial.flow.returned(method):
            code = source.segment(value)
            if f"{MODULE}." in code:  # a script's
                if _PIECE in code and notes:
                    yield Remark(ID, source, value, Kind.NOTE, _NO_EPOCHS)
            elif not callbacks.may_act_by_epoch(trial, value):
                continue
            elif trial.context.at(value) is None:
                yield Remark(ID, source, value, Kind.LEFT, _NO_CONTEXT, _WRAP)
            else:
                epoch = _epoch(trial, by_position(method)[0].arg)
                yield Fix(ID, source, value, (_wrapped(trial, method, value, epoch),), notes=notes)
                is_counted, notes = True, ()
    if is_counted:
        yield from _remembering(trial)


def _called_by_harness(trial: Trial) -> Iterator[Function]:
    """The methods that return callbacks, but those that only hand them on to one below."""
    used = [trial.flow.method(one, _METHOD) for one in trial.concrete]
    below = {method for _, method in trial.methods(_METHOD)}
    for _, method in trial.methods(_METHOD):
        callers = {
            trial.modules.home(call.node).names.function_of(call.node)
            for call in trial.flow.calls(method)
        }
        if method in used or not callers & below:
            yield method


def _wrapped(trial: Trial, method: Function, value: ast.expr, epoch: str) -> Edit:
    """Wrap returned callbacks; a list of several lines gets a name first."""
    names = trial.modules.home(method).names
    statement = names.parents[value]
    code = f"{MODULE}.{_PIECE}({{context}}, {{callbacks}}, {epoch})"
    if value.lineno == value.end_lineno or not isinstance(statement, ast.Return):
        return Replace(value, code, {"callbacks": value})
    taken = {one.id for one in names.below(method) if isinstance(one, ast.Name)}
    name = next(one for one in _LOCAL_NAMES if one not in taken)
    code = f"{name} = {{value}}\nreturn {code.replace('{callbacks}', name)}"
    return ReplaceStatement(statement, code, {"value": value})


def _epoch(trial: Trial, first: str) -> str:
    """The training data in a method of the trial."""
    if any(True for _ in trial.methods(TRAINING_METHOD)):
        return f"{first}.{training_name(trial)}"
    return f"{first}.{pair_name(trial)}[0]"


def _remembering(trial: Trial) -> Iterable[Fix]:
    """Keep the training data on the trial, since a loader method is called once."""
    name = training_name(trial)
    for _, method in trial.methods(TRAINING_METHOD):
        source = trial.modules.home(method)
        kept = f"{by_position(method)[0].arg}.{name}"
        for node in source.names.below(method):
            if (
                isinstance(node, ast.Return)
                and node.value is not None
                and source.names.definition_around(node) is method
                and ast.unparse(node.value) != kept
            ):
                code = f"{kept} = {{data}}\nreturn {kept}"
                yield Fix(ID, source, node, (ReplaceStatement(node, code, {"data": node.value}),))


CASES = cases_callbacks.CASES
