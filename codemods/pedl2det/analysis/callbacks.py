"""Which callbacks watch the validation, and which certainly know nothing of epochs.

A callback that acts on batches knows of epochs too: batches are numbered in an epoch.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from pedl2det.analysis.flow.values import Way
from pedl2det.analysis.trial import Trial

_CALLBACKS = "tensorflow.keras.callbacks."
_DETERMINED = "determined.keras.callbacks."
#: Callbacks that watch a metric, and of which Determined has its own, which act after validations.
_BY_VALIDATION = ("EarlyStopping", "ReduceLROnPlateau")
#: Callbacks of Keras that act on nothing that has a number in an epoch.
_WITHOUT_EPOCHS = tuple(f"{_CALLBACKS}{name}" for name in ("Callback", "TerminateOnNaN"))
#: Hooks that an epoch begins or ends, or that are given a number in it or metrics of that time.
_HOOKS = frozenset(
    {
        *("on_epoch_begin", "on_epoch_end", "on_test_batch_begin", "on_test_batch_end"),
        *("on_batch_begin", "on_batch_end", "on_train_batch_begin", "on_train_batch_end"),
    }
)
#: What may set a hook whose name is computed.
_BY_COMPUTED_NAME = frozenset({"setattr", "vars", "__dict__", "__setattr__"})


@dataclass(frozen=True)
class Monitor:
    """The metrics that an ``EarlyStopping`` or ``ReduceLROnPlateau`` watches.

    Attributes:
        call: the call that makes the callback.
        is_of_keras: whether it is the callback of Keras, and not that of Determined.
        node: the argument ``monitor``; None if it is not written out.
        texts: where the texts are that it may be.
        metrics: the metrics that it may name; None if they are not visible.
    """

    call: ast.Call
    is_of_keras: bool
    node: ast.expr | None
    texts: tuple[ast.Constant, ...]
    metrics: frozenset[str] | None


def monitor_of(trial: Trial, call: ast.Call) -> Monitor | None:
    """What a call's callback watches; None for calls of anything else."""
    today = trial.today(call.func)
    package, _, name = today.rpartition(".")
    if name not in _BY_VALIDATION or f"{package}." not in (_CALLBACKS, _DETERMINED):
        return None
    is_of_keras = today.startswith(_CALLBACKS)
    given = [one.value for one in call.keywords if one.arg == "monitor"] or call.args[:1]
    if not given:
        hides = any(one.arg is None for one in call.keywords)
        return Monitor(call, is_of_keras, None, (), None if hides else frozenset({"val_loss"}))
    origins = trial.flow.origins(given[0])
    texts = tuple(
        one.node for one in origins if isinstance(one.node, ast.Constant) and not one.path
    )
    metrics = frozenset(str(one.value) for one in texts) if len(texts) == len(origins) else None
    return Monitor(call, is_of_keras, given[0], texts, metrics)


def watches_validation(trial: Trial, call: ast.Call) -> bool:
    """Whether a call makes a callback of Keras that Determined has, and watches the validation."""
    monitor = monitor_of(trial, call)
    return (
        monitor is not None
        and monitor.is_of_keras
        and monitor.metrics is not None
        and all(one.startswith("val_") for one in monitor.metrics)
    )


def may_act_by_epoch(trial: Trial, value: ast.expr) -> bool:
    """Whether a list of callbacks may hold one that knows of epochs: any that is not plain."""
    for node in trial.flow.members(value):
        match node:
            case ast.List():
                uses = trial.flow.uses(node)
                if any(use.is_change or use.way is Way.ARGUMENT for use in uses):
                    return True
            case ast.Call() if _is_without_epochs(trial, node):
                continue
            case ast.Tuple() | ast.BinOp() | ast.Constant():
                continue
            case _:
                return True
    return False


def _is_without_epochs(trial: Trial, call: ast.Call) -> bool:
    """Whether a call certainly makes a callback that knows nothing of epochs."""
    today = trial.today(call.func)
    if today.startswith((_DETERMINED, "legacy_keras.")) or watches_validation(trial, call):
        return True
    if today in _WITHOUT_EPOCHS:
        return True
    return not _mentions_hooks(trial) and all(
        isinstance(origin.node, ast.ClassDef)
        and all(
            _is_plain_base(trial, base)
            for one in trial.flow.bases(origin.node)
            for base in one.bases
        )
        for origin in trial.flow.origins(call.func)
    )


def _is_plain_base(trial: Trial, base: ast.expr) -> bool:
    own = trial.modules.definition(trial.modules.meaning(base) or "")
    return isinstance(own, ast.ClassDef) or trial.today(base) in _WITHOUT_EPOCHS


def _mentions_hooks(trial: Trial) -> bool:
    """Whether the project defines, sets or names a hook of epochs or batches, or may set one."""
    return any(
        getattr(node, field, None) in _HOOKS | _BY_COMPUTED_NAME
        for source in trial.modules
        for node in source.names.of(ast.FunctionDef, ast.Name, ast.Attribute, ast.Constant)
        for field in ("name", "id", "attr", "value")
    )
