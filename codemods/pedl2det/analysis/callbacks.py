"""Which Keras callbacks of a project act by epoch, and which watch the validation.

A callback that reads the number of a batch acts by epoch too: batches are counted in an epoch.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

import pedl2det_names as names
from pedl2det.analysis.flow import Function, Origin, by_position
from pedl2det.analysis.trial import Trial

_CALLBACKS = "tensorflow.keras.callbacks."
_DETERMINED = "determined.keras.callbacks."
#: Callbacks of which Determined has its own, which act after each validation.
BY_VALIDATION = ("EarlyStopping", "ReduceLROnPlateau")
#: Callbacks of Keras that watch a metric, with the position of their argument `monitor`.
_MONITORS = {"EarlyStopping": 0, "ReduceLROnPlateau": 0, "ModelCheckpoint": 1}
#: Callbacks of Keras that act at the start or the end of an epoch.
_BY_EPOCH = frozenset(
    {
        *BY_VALIDATION,
        *("LearningRateScheduler", "ModelCheckpoint", "CSVLogger", "RemoteMonitor", "History"),
        *("ProgbarLogger", "BaseLogger", "BackupAndRestore", "TensorBoard"),
    }
)
_HOOKS = frozenset({"on_epoch_begin", "on_epoch_end"})
_BATCH_HOOKS = frozenset(
    {"on_batch_begin", "on_batch_end", "on_train_batch_begin", "on_train_batch_end"}
)
_OLD_METRICS = frozenset(word for words in names.METRIC_NAMES for word in words)


def keras_callback(trial: Trial, node: ast.AST) -> str | None:
    """The name of the callback class of Keras that an expression means."""
    today = trial.today(node)
    return today.removeprefix(_CALLBACKS) if today.startswith(_CALLBACKS) else None


@dataclass(frozen=True)
class Monitor:
    """The argument ``monitor`` of a callback of Keras.

    Attributes:
        call: the call that makes the callback.
        callback: the name of the callback's class.
        node: the argument; None if it is not written out.
        origins: where its value comes from; empty if it is not written out.
        metrics: the metrics that it may name; None if they are not visible.
    """

    call: ast.Call
    callback: str
    node: ast.expr | None
    origins: tuple[Origin, ...]
    metrics: frozenset[str] | None

    @property
    def is_of_validation(self) -> bool:
        """Whether it names a metric of the validation."""
        return self.metrics is not None and all(one.startswith("val_") for one in self.metrics)


def monitor_of(trial: Trial, call: ast.Call) -> Monitor | None:
    """The metric that a call's callback watches; None for calls of anything else."""
    name = trial.today(call.func).removeprefix(_CALLBACKS).removeprefix(_DETERMINED)
    if name not in _MONITORS:
        return None
    position = _MONITORS[name]
    given = [one.value for one in call.keywords if one.arg == "monitor"]
    given = given or call.args[position : position + 1]
    if any(isinstance(one, ast.Starred) for one in call.args):
        return Monitor(call, name, None, (), None)
    if not given:
        hides = any(one.arg is None for one in call.keywords)
        return Monitor(call, name, None, (), None if hides else frozenset({"val_loss"}))
    origins = tuple(trial.flow.origins(given[0]))
    texts = {
        one.node.value if isinstance(one.node, ast.Constant) and not one.path else None
        for one in origins
    }
    metrics = frozenset(text for text in texts if isinstance(text, str))
    is_visible = len(metrics) == len(texts)
    return Monitor(call, name, given[0], origins, metrics if is_visible else None)


def watches_validation(trial: Trial, call: ast.Call) -> bool:
    """Whether a call makes a callback that Determined has, and that watches the validation."""
    if keras_callback(trial, call.func) not in BY_VALIDATION:
        return False
    monitor = monitor_of(trial, call)
    return monitor is not None and monitor.is_of_validation


def by_epoch(trial: Trial) -> list[ast.AST]:
    """The places where the project makes callbacks that act by epoch."""
    return [call for call in trial.modules.of(ast.Call) if _acts_by_epoch(trial, call)]


def _acts_by_epoch(trial: Trial, call: ast.Call) -> bool:
    name = keras_callback(trial, call.func)
    if name == "LambdaCallback":
        return any(
            one.arg is None
            or one.arg in _HOOKS
            or (one.arg in _BATCH_HOOKS and _given_by_epoch(trial, one.value))
            for one in call.keywords
        )
    if name is not None:
        return name in _BY_EPOCH and not watches_validation(trial, call)
    return any(
        isinstance(origin.node, ast.ClassDef)
        and not origin.path
        and _is_callback(trial, origin.node)
        and _has_hook_by_epoch(trial, origin.node)
        for origin in trial.flow.origins(call.func)
    )


def _has_hook_by_epoch(trial: Trial, node: ast.ClassDef) -> bool:
    """Whether a callback has a hook of epochs, or one that needs to know of them."""
    if any(trial.flow.method(node, hook) for hook in _HOOKS):
        return True
    hooks = [trial.flow.method(node, hook) for hook in sorted(_BATCH_HOOKS)]
    return any(_knows_epoch(trial, hook, 1) for hook in hooks if hook is not None)


def _given_by_epoch(trial: Trial, value: ast.expr) -> bool:
    """Whether a function that is given as a hook of batches needs to know of epochs."""
    return any(
        not isinstance(one.node, Function | ast.Lambda) or _knows_epoch(trial, one.node, 0)
        for one in trial.flow.origins(value)
    )


def _knows_epoch(trial: Trial, hook: Function | ast.Lambda, first: int) -> bool:
    """Whether a hook of batches reads the batch's number, or a metric by a name of TensorFlow 1.

    Args:
        trial: the project.
        hook: the hook.
        first: the place of its parameter for the number.
    """
    parameters = by_position(hook)[first:]
    if len(parameters) < 2:
        return True
    batch, logs = parameters[:2]
    if any(not _is_handed_up(trial, read) for read in trial.flow.reads_of(batch)):
        return True
    keys = [
        node.value
        for read in trial.flow.reads_of(logs)
        for node in ast.walk(trial.modules.home(read).names.parents[read])
        if isinstance(node, ast.Constant)
    ] + [
        node.args[0].value
        for read in trial.flow.reads_of(logs)
        for node in _calls_around(trial, read)
        if node.args and isinstance(node.args[0], ast.Constant)
    ]
    return not _OLD_METRICS.isdisjoint(one for one in keys if isinstance(one, str))


def _calls_around(trial: Trial, read: ast.Name) -> list[ast.Call]:
    """The call ``logs.get(key)`` of a read of ``logs``."""
    parents = trial.modules.home(read).names.parents
    around = parents.get(parents[read])
    return [around] if isinstance(around, ast.Call) else []


def _is_handed_up(trial: Trial, read: ast.Name) -> bool:
    """Whether a parameter only goes to ``super().on_batch_end(batch, logs)``."""
    call = trial.modules.home(read).names.parents[read]
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in _BATCH_HOOKS
        and ast.unparse(call.func.value).startswith("super(")
    )


def _is_callback(trial: Trial, node: ast.ClassDef) -> bool:
    return any(
        keras_callback(trial, base) is not None
        for one in trial.flow.bases(node)
        for base in one.bases
    )
