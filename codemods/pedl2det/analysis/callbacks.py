"""Which Keras callbacks of a project act by epoch, and which watch the validation."""

from __future__ import annotations

import ast

import pedl2det_names as names
from pedl2det.analysis.trial import Trial

_CALLBACKS = "tensorflow.keras.callbacks."
#: Callbacks of which Determined has its own, which act after each validation.
BY_VALIDATION = ("EarlyStopping", "ReduceLROnPlateau")
#: Callbacks of Keras that act at the start or the end of an epoch.
_BY_EPOCH = frozenset(
    {
        *BY_VALIDATION,
        *("LearningRateScheduler", "ModelCheckpoint", "CSVLogger", "RemoteMonitor", "History"),
        *("ProgbarLogger", "BaseLogger", "BackupAndRestore", "TensorBoard"),
    }
)
_HOOKS = frozenset({"on_epoch_begin", "on_epoch_end"})


def keras_callback(trial: Trial, node: ast.AST) -> str | None:
    """The name of the callback class of Keras that an expression means."""
    dotted = trial.modules.meaning(node)
    row = names.lookup(dotted) if dotted else None
    today = (row.new if row is not None else dotted) or ""
    return today.removeprefix(_CALLBACKS) if today.startswith(_CALLBACKS) else None


def watches_validation(trial: Trial, call: ast.Call) -> bool:
    """Whether a call makes a callback that watches a metric of the validation."""
    if keras_callback(trial, call.func) not in BY_VALIDATION:
        return False
    given = [one.value for one in call.keywords if one.arg == "monitor"] or call.args[:1]
    if not given:
        return not any(one.arg is None for one in call.keywords)  # the default is val_loss
    values = [
        one.node.value if isinstance(one.node, ast.Constant) else None
        for one in trial.flow.origins(given[0])
    ]
    return all(isinstance(one, str) and one.startswith("val_") for one in values)


def by_epoch(trial: Trial) -> list[ast.AST]:
    """The places where the project makes callbacks that act by epoch."""
    found: list[ast.AST] = []
    for source in trial.modules:
        for call in source.names.of(ast.Call):
            if _acts_by_epoch(trial, call):
                found.append(call)
    return found


def _acts_by_epoch(trial: Trial, call: ast.Call) -> bool:
    name = keras_callback(trial, call.func)
    if name == "LambdaCallback":
        return any(one.arg is None or one.arg in _HOOKS for one in call.keywords)
    if name is not None:
        return name in _BY_EPOCH and not watches_validation(trial, call)
    return any(
        isinstance(origin.node, ast.ClassDef)
        and not origin.path
        and _is_callback(trial, origin.node)
        and any(trial.flow.method(origin.node, hook) for hook in _HOOKS)
        for origin in trial.flow.origins(call.func)
    )


def _is_callback(trial: Trial, node: ast.ClassDef) -> bool:
    return any(
        keras_callback(trial, base) is not None
        for one in trial.flow.bases(node)
        for base in one.bases
    )
