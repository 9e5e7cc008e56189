"""Which callbacks watch the validation, and which certainly know nothing of epochs.

A callback that acts on batches knows of epochs too: batches are numbered in an epoch.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from pedl2det.analysis.flow import Origin, Way
from pedl2det.analysis.trial import Trial

_CALLBACKS = "tensorflow.keras.callbacks."
_DETERMINED = "determined.keras.callbacks."
#: Callbacks of which Determined has its own, which act after each validation.
BY_VALIDATION = ("EarlyStopping", "ReduceLROnPlateau")
#: Callbacks of Keras that watch a metric, with the position of their argument `monitor`.
_MONITORS = {"EarlyStopping": 0, "ReduceLROnPlateau": 0, "ModelCheckpoint": 1}
#: Callbacks of Keras that act on nothing that has a number in an epoch.
_WITHOUT_EPOCHS = frozenset({"Callback", "TerminateOnNaN"})
#: Hooks that an epoch begins or ends, or that are given a number in it or metrics of that time.
_HOOKS = frozenset(
    {
        *("on_epoch_begin", "on_epoch_end", "on_test_batch_begin", "on_test_batch_end"),
        *("on_batch_begin", "on_batch_end", "on_train_batch_begin", "on_train_batch_end"),
    }
)
#: Uses of a list that leave it as it is.
_READS = frozenset({Way.RETURNED, Way.TESTED, Way.ITERATED, Way.ITEM, Way.METHOD})
#: Packages of callbacks that know the epochs of Determined.
_PACKAGES = (_DETERMINED, "legacy_keras.")


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


def may_act_by_epoch(trial: Trial, value: ast.expr) -> bool:
    """Whether a list of callbacks may hold one that knows of epochs: any that is not plain."""
    waiting: list[ast.AST] = [value]
    seen: set[ast.AST] = set()
    while waiting:
        for node in trial.flow.members(waiting.pop()):
            if node in seen:
                continue
            seen.add(node)
            if isinstance(node, ast.List):
                added = _added(trial, node)
                if added is None:
                    return True
                waiting += added
            elif isinstance(node, ast.Call):
                if not _is_without_epochs(trial, node):
                    return True
            elif not isinstance(node, ast.Tuple | ast.BinOp | ast.Constant):
                return True
    return _sets_hooks(trial)


def _added(trial: Trial, node: ast.List) -> list[ast.expr] | None:
    """What is added to a list after it was made; None if that is not visible."""
    added: list[ast.expr] = []
    for use in trial.flow.uses(node):
        match use.around:
            case ast.Call(args=arguments) if use.way is Way.METHOD and use.is_change:
                added += arguments
            case ast.Call(func=ast.Attribute(attr="fit" | "fit_generator")):
                continue
            case _ if use.is_change or use.way not in _READS:
                return None
    return added


def _is_without_epochs(trial: Trial, call: ast.Call) -> bool:
    """Whether a call certainly makes a callback that knows nothing of epochs."""
    if watches_validation(trial, call):
        return True  # that of Determined
    if trial.today(call.func).startswith(_PACKAGES):
        return True
    name = keras_callback(trial, call.func)
    if name is not None:
        return name in _WITHOUT_EPOCHS
    return all(
        isinstance(origin.node, ast.ClassDef)
        and not origin.path
        and _has_no_hook(trial, origin.node)
        for origin in trial.flow.origins(call.func)
    )


def _has_no_hook(trial: Trial, node: ast.ClassDef) -> bool:
    """Whether a class and those above it are plain, and bind no hook."""
    for owner in trial.flow.bases(node):
        names = trial.modules.home(owner).names
        bound = {getattr(one, "name", getattr(one, "id", "")) for one in names.below(owner)}
        if owner.decorator_list or owner.keywords or _HOOKS & bound:
            return False
        for base in owner.bases:
            own = trial.modules.definition(trial.modules.meaning(base) or "")
            if keras_callback(trial, base) not in _WITHOUT_EPOCHS and own is None:
                return False
    return True


def _sets_hooks(trial: Trial) -> bool:
    """Whether a hook is set anywhere on a class or an object."""
    for source in trial.modules:
        for node in source.names.of(ast.Attribute, ast.Constant):
            if isinstance(node, ast.Constant):
                if node.value in _HOOKS:
                    return True
            elif node.attr in _HOOKS and isinstance(node.ctx, ast.Store):
                return True
    return False
