"""Callbacks that act by epoch keep the epochs and the logs that they had.

``EarlyStopping`` and ``ReduceLROnPlateau`` that watch a metric of the validation become those of
Determined, which act after each validation. For all others the old harness counted an epoch of one
pass over the training data and gave them training metrics: ``legacy_keras.with_epoch_logs`` does
the same, and numbers the batches in such an epoch. Callbacks that act on batches, whatever their
number, stay as they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis import callbacks
from pedl2det.analysis.flow import Function
from pedl2det.analysis.loaders import TRAINING_METHOD
from pedl2det.analysis.spelling import spell
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Edit, Fix, Remark, Replace, ReplaceStatement
from pedl2det.rules.cases import Case, pedl_trial

ID = "P011"
NAME = "callbacks"

_ACTS_NOW = (
    "acts after each validation: the old harness gave it no metric of the validation, so it never "
    "acted there"
)
_NO_EPOCHS = (
    "callbacks act by epoch, which is one pass over the training data here; set records_per_epoch "
    "in the config as well: Determined's own epochs are as long, and lengths may be in epochs"
)
#: Names for a list of callbacks.
_LOCAL_NAMES = ("callbacks", "own_callbacks", "trial_callbacks", "pedl_callbacks")


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite callbacks that watch the validation, and the lists of those that act by epoch."""
    if trial.generation is Generation.CONTEXT:
        return
    for source in trial.modules:
        for call in source.names.of(ast.Call):
            if callbacks.watches_validation(trial, call):
                name = callbacks.keras_callback(trial, call.func)
                like = call.func if isinstance(call.func, ast.Name) else None
                found = spell(source, f"determined.keras.callbacks.{name}", like=like)
                edit = Replace(call.func, found.code)
                notes = ((Kind.DIFFERENT, f"{name} {_ACTS_NOW}"),)
                yield Fix(ID, source, call.func, (edit,), imports=found.imports, notes=notes)
    if callbacks.by_epoch(trial):
        yield from _with_epochs(trial)


def _with_epochs(trial: Trial) -> Iterable[Fix]:
    has_epochs = trial.configs and all(one.get("records_per_epoch") for _, one in trial.configs)
    notes = () if has_epochs else ((Kind.NOTE, _NO_EPOCHS),)
    for _, method in trial.methods("keras_callbacks"):
        if trial.flow.calls(method) or trial.context.at(method.body[0]) is None:
            continue  # a method that calls this one hands the callbacks on
        source = trial.modules.home(method)
        for value in trial.flow.returned(method):
            edit = _wrapped(trial, method, value, _epoch(trial, method.args.args[0].arg))
            yield Fix(ID, source, value, (edit,), notes=notes)
            notes = ()
    for _, method in trial.methods(TRAINING_METHOD):
        yield from _remembering(trial, method)


def _wrapped(trial: Trial, method: Function, value: ast.expr, epoch: str) -> Edit:
    """Wrap returned callbacks; a list of several lines gets a name first."""
    names = trial.modules.home(method).names
    statement = names.parents[value]
    code = f"legacy_keras.with_epoch_logs({{context}}, {{callbacks}}, {epoch})"
    if value.lineno == value.end_lineno or not isinstance(statement, ast.Return):
        return Replace(value, code, {"callbacks": value})
    taken = {one.id for one in names.below(method) if isinstance(one, ast.Name)}
    name = next(one for one in _LOCAL_NAMES if one not in taken)
    code = f"{name} = {{value}}\nreturn {code.replace('{callbacks}', name)}"
    return ReplaceStatement(statement, code, {"value": value})


def _epoch(trial: Trial, first: str) -> str:
    """The training data in a method of the trial, or the batches of an epoch if it says them."""
    said = {
        node.attr
        for owner in trial.classes
        for node in trial.modules.home(owner).names.below(owner)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    if "batches_per_epoch" in said:
        return f"{first}.batches_per_epoch"
    has_method = any(True for _ in trial.methods(TRAINING_METHOD))
    return f"{first}.training_data" if has_method else f"{first}.data_loaders[0]"


def _remembering(trial: Trial, method: Function) -> Iterable[Fix]:
    """Keep the training data on the trial, since a loader method is called once."""
    source = trial.modules.home(method)
    first = method.args.args[0].arg
    for node in source.names.below(method):
        if (
            isinstance(node, ast.Return)
            and node.value is not None
            and source.names.definition_around(node) is method
            and ast.unparse(node.value) != f"{first}.training_data"
        ):
            code = f"{first}.training_data = {{data}}\nreturn {first}.training_data"
            edit = ReplaceStatement(node, code, {"data": node.value})
            yield Fix(ID, source, node, (edit,))


_WATCHING = """\
from tensorflow.keras.callbacks import EarlyStopping


class Net:
    def keras_callbacks(self{hparams}):
        return [EarlyStopping(monitor="val_loss", patience=2)]
"""
_WATCHING_AFTER = _WATCHING.replace("tensorflow.keras", "determined.keras")
_BY_EPOCH = """\
from tensorflow.keras.callbacks import LearningRateScheduler


class Net:
    def keras_callbacks(self, hparams):
        return [LearningRateScheduler(lambda epoch: 0.1 / (1 + epoch))]
"""
_BY_EPOCH_AFTER = """\
from tensorflow.keras.callbacks import LearningRateScheduler

import legacy_keras


class Net:
    def keras_callbacks(self):
        return legacy_keras.with_epoch_logs(
            self.context,
            [LearningRateScheduler(lambda epoch: 0.1 / (1 + epoch))],
            self.data_loaders[0],
        )
"""
_BY_BATCH = """\
from tensorflow.keras.callbacks import TerminateOnNaN


class Net:
    def keras_callbacks(self{hparams}):
        return [TerminateOnNaN()]
"""


def _case(before: str, after: str, says: str = "") -> Case:
    old, new = before.replace("{hparams}", ", hparams"), after.replace("{hparams}", "")
    return Case(pedl_trial(old), {"net.py": new}, says)


CASES = (
    _case(_WATCHING, _WATCHING_AFTER, "EarlyStopping acts after each validation"),
    _case(_BY_EPOCH, _BY_EPOCH_AFTER, "set records_per_epoch"),
    _case(_BY_BATCH, _BY_BATCH),
)
