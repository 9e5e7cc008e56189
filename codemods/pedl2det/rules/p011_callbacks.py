"""Callbacks that act by epoch keep the epochs and the logs that they had.

``EarlyStopping`` and ``ReduceLROnPlateau`` that watch a metric of the validation become those of
Determined, which act after each validation. For all others, an epoch of the old harness was one
pass over the training data, and its logs had training metrics: ``legacy_keras.with_epoch_logs``
does the same, and numbers the batches in such an epoch; with ``records_per_epoch`` in the config,
epochs of Determined have the same length. It is also written where only a run shows which callbacks
there are, and which hooks they have. Lists of Determined's callbacks, and of callbacks of Keras
without hooks for epochs or batches, stay as they are.

``monitor=`` of these two names the metric as the migrated trial reports it, ``val_accuracy`` for
``val_acc``; the logs of all others have both names. Callbacks of a ``KerasTrial`` get its training
metrics, under the names that it gives them.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence

from pedl2det.analysis import old_keras
from pedl2det.analysis.flow.values import Function, Way, by_position
from pedl2det.analysis.loaders import TRAINING_METHOD, pair_name, training_name
from pedl2det.analysis.metric_names import asked_for, metric_names, todays_name
from pedl2det.analysis.models import (
    Monitor,
    compiles,
    is_keras_trial,
    may_act_by_epoch,
    monitor_of,
    watches_validation,
)
from pedl2det.analysis.source import Spelling, spell
from pedl2det.analysis.trial import Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, Remark, ReplaceStatement, rewrite
from pedl2det.support import MODULE
from pedl2det_names import Age

_ACTS_NOW = (
    "{callback} acts after each validation: the old harness gave it no metric of the validation, "
    "so it never acted there"
)
_RENAMED = "monitor: what was reported as {old} is {new}"
_NO_CONTEXT = (
    "these callbacks may act by epoch, which was one pass over the training data, and the trial's "
    "context is out of reach here"
)
_METHOD = "keras_callbacks"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite callbacks that watch the validation, and the lists of those that act by epoch."""
    if trial.is_of_today and old_keras.age(trial) is Age.CURRENT:
        return
    found = [monitor_of(trial, call) for call in trial.modules.of(ast.Call)]
    monitors = [monitor for monitor in found if monitor is not None]
    if old_keras.is_old(trial):
        yield from _rename_monitors(trial, monitors)
    if not trial.is_of_today:
        calls = [monitor.call for monitor in monitors]
        watching = [call.func for call in calls if watches_validation(trial, call)]
        for function in watching:
            yield _act_by_validation(trial, function, watching)
        yield from _wrap_callbacks(trial)


def _rename_monitors(trial: Trial, monitors: Sequence[Monitor]) -> Iterator[Fix | Remark]:
    """Give each ``monitor=`` the name by which its metric is reported today."""
    calls = compiles(trial)
    trained = [compiled.call for compiled in calls if compiled.is_trained]
    asked = asked_for(trial, *(trained or [compiled.call for compiled in calls]))
    of_keras_trial = metric_names(trial)
    arguments = {monitor.node for monitor in monitors}
    done: set[ast.expr] = set()
    for monitor in monitors:
        for text in monitor.texts:
            old = str(text.value)
            if of_keras_trial is None:
                new = todays_name(old, asked)
            else:
                new = of_keras_trial.new("validation", old) if old.startswith("val_") else old
            if new == old or text in done:
                continue
            done.add(text)
            message = _RENAMED.format(old=old, new=new)
            uses = trial.flow.uses(text)
            if any(use.way is not Way.ARGUMENT or use.node not in arguments for use in uses):
                yield Remark(text, message)  # it is used for more
                continue
            code = trial.modules.home(text).segment(text).replace(old, new)
            yield rewrite(text, code, notes=((Kind.NOTE, message),))


def _act_by_validation(trial: Trial, function: ast.expr, watching: Collection[ast.expr]) -> Fix:
    """Replace a callback that watches the validation by that of Determined."""
    source = trial.modules.home(function)
    callback = trial.today(function).rpartition(".")[2]
    dotted = f"determined.keras.callbacks.{callback}"
    local = function.id if isinstance(function, ast.Name) else callback
    is_shared = any(
        node.id == local and isinstance(node.ctx, ast.Load) and node not in watching
        for node in source.names.of(ast.Name)
    )
    if is_shared:  # the name means the callback of Keras elsewhere in this file
        spelling = Spelling(dotted, ("import determined.keras",))
    else:
        spelling = spell(source, dotted, like=function if isinstance(function, ast.Name) else None)
    notes = ((Kind.DIFFERENT, _ACTS_NOW.format(callback=callback)),)
    return rewrite(function, spelling.code, imports=spelling.imports, notes=notes)


def _wrap_callbacks(trial: Trial) -> Iterable[Fix | Remark]:
    """Wrap the lists of callbacks that may act by epoch, in the methods that the harness calls."""
    is_counted = False
    for method in _called_by_harness(trial):
        for value in trial.flow.returned(method):
            is_of_script = ".callbacks_with_epochs(" in trial.modules.home(method).segment(value)
            if is_of_script or not may_act_by_epoch(trial, value):
                continue
            if trial.context.at(value) is None:
                yield Remark(value, _NO_CONTEXT)
            else:
                me = by_position(method)[0].arg
                owner = trial.modules.home(method).names.class_around(method)
                is_of_keras = owner is not None and is_keras_trial(trial, owner)
                has_own_loader = any(True for _ in trial.methods(TRAINING_METHOD))
                name = training_name(trial) if has_own_loader else f"{pair_name(trial)}[0]"
                data = f"{me}.{name}" + (f", {me}" if is_of_keras else "")
                code = f"{MODULE}.with_epoch_logs({{context}}, {{callbacks}}, {data})"
                yield rewrite(value, code, {"callbacks": value})
                is_counted = True
    if is_counted:
        yield from _keep_training_data(trial)


def _called_by_harness(trial: Trial) -> Iterator[Function]:
    """The methods that return callbacks, except those that only subclasses' methods call."""
    used = [trial.flow.method(owner, _METHOD) for owner in trial.concrete]
    below = dict.fromkeys(method for _, method in trial.methods(_METHOD))
    for method in below:
        calls = [call.node for call in trial.flow.calls(method)]
        callers = {trial.modules.home(call).names.function_of(call) for call in calls}
        if method in used or callers.isdisjoint(below):
            yield method


def _keep_training_data(trial: Trial) -> Iterable[Fix]:
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
                yield Fix(node, (ReplaceStatement(node, code, {"data": node.value}),))


EXAMPLE = """\
--- net.py
- from tensorflow.keras.callbacks import EarlyStopping
+ from determined.keras.callbacks import EarlyStopping


  class Net:
-     def keras_callbacks(self, hparams):
+     def keras_callbacks(self):
-         return [EarlyStopping("val_acc")]
+         return [EarlyStopping("val_accuracy")]
! EarlyStopping acts after each validation
"""
