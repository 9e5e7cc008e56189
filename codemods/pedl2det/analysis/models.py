"""Which models are compiled and trained, and which metrics and epochs their callbacks use."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from pedl2det.analysis.bindings import MAIN_GUARDS
from pedl2det.analysis.flow.values import Function, Origin, Way, argument, has_hidden_arguments
from pedl2det.analysis.old_keras import KERAS, has_standalone_layers, means_standalone
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial, today

#: Arguments that ``compile`` of a model has, and no other ``compile``.
_ARGUMENTS = {
    *("optimizer", "loss", "metrics", "loss_weights", "weighted_metrics", "run_eagerly"),
    "sample_weight_mode",
}
_CLASSES = {f"{KERAS}.{name}" for name in ("Model", "Sequential", "models.Model")}
_CLASSES |= {f"{KERAS}.models.Sequential", f"{KERAS}.experimental.WideDeepModel"}
_MAKERS = {
    f"{KERAS}.models.{name}"
    for name in ("clone_model", "load_model", "model_from_config", "model_from_json")
}
_FIT = "legacy_keras.Fit"

FUNCTIONS = ast.FunctionDef | ast.Lambda


@dataclass(frozen=True)
class Compile:
    """A call of ``compile`` of a Keras model."""

    source: Source  #: the file
    call: ast.Call  #: the call
    is_trained: bool  #: whether the trial trains this model, as far as can be seen
    is_wrapped: bool  #: whether it was given to ``wrap_model``
    is_standalone: bool  #: whether it is a model of standalone Keras

    @property
    def model(self) -> ast.expr:
        """The expression of the model."""
        assert isinstance(self.call.func, ast.Attribute)
        return self.call.func.value

    @property
    def optimizers(self) -> list[ast.expr]:
        """The optimizer argument, in a list; empty if it is not visible."""
        optimizer = argument(self.call, "optimizer", 0)
        return [] if optimizer is None or isinstance(optimizer, ast.Starred) else [optimizer]

    @property
    def hides_arguments(self) -> bool:
        """Whether there are arguments with ``*`` or ``**``."""
        return has_hidden_arguments(self.call)


def compiles(trial: Trial) -> list[Compile]:
    """Every call that compiles a model, except in a model's own ``compile``."""
    methods = build_methods(trial)
    returned = {origin for method in methods for origin in returned_models(trial, method)}
    compiled = []
    for call in trial.modules.of(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "compile":
            source, origins = trial.modules.home(call), trial.flow.origins(call.func.value)
            if _is_model(trial, call, origins):
                compiled.append(_compile(trial, source, call, origins, returned))
    return compiled


def is_certain(trial: Trial, value: ast.expr) -> bool:
    """Whether losses or metrics are certainly strings, of Keras, or one function of the project."""
    if isinstance(value, ast.List | ast.Tuple | ast.Dict):
        parts = value.values if isinstance(value, ast.Dict) else value.elts
        return all(is_certain(trial, part) for part in parts)
    members = [*trial.flow.members(value)]  # a list from elsewhere may be extended
    is_one = len(members) == 1 and isinstance(members[0], FUNCTIONS)
    are_known = all(
        isinstance(member, ast.Constant) or _meaning(trial, member).startswith(f"{KERAS}.")
        for member in members
    )
    return is_one or (bool(members) and are_known)


def _meaning(trial: Trial, member: ast.AST) -> str:
    """The name of a function or class, or of the callable that makes an object."""
    if isinstance(member, ast.alias):
        return today(trial.modules.home(member).names.imported_as(member))
    return trial.today(member.func if isinstance(member, ast.Call) else member)


def losses_and_metrics(trial: Trial) -> Iterator[ast.expr]:
    """The losses and metrics of ``compile``, and of KerasTrials."""
    for compiled in compiles(trial):
        for name, place in {"loss": 1, "metrics": 2, "weighted_metrics": 5}.items():
            value = argument(compiled.call, name, place)
            if value is not None:
                yield value
    for owner in trial.roots:
        for name in ("loss", "losses", "training_metrics", "validation_metrics"):
            for method in trial.flow.overrides(owner, name) if is_keras_trial(trial, owner) else ():
                yield from trial.flow.returned(method)


def build_methods(trial: Trial) -> list[Function]:
    """The ``build_model`` methods of trials that compile their models themselves."""
    return [
        method for owner, method in trial.methods("build_model") if not is_keras_trial(trial, owner)
    ]


def is_keras_trial(trial: Trial, owner: ast.ClassDef) -> bool:
    """Whether a class is a ``KerasTrial``, whose harness compiles its model."""
    return not {"KerasTrial", "KerasFunctionalTrial"}.isdisjoint(_base_names(trial, owner))


def is_functional(trial: Trial, owner: ast.ClassDef) -> bool:
    """Whether metrics and losses of a ``KerasTrial`` name the outputs that they apply to."""
    return "KerasFunctionalTrial" in _base_names(trial, owner)


def _base_names(trial: Trial, owner: ast.ClassDef) -> set[str]:
    bases = [base for node in trial.flow.family(owner) for base in node.bases]
    return {(trial.base_name(base) or "").rpartition(".")[2] for base in bases}


def is_model_class(trial: Trial, node: ast.ClassDef) -> bool:
    """Whether a class of the project derives from a Keras model."""
    return any(
        trial.today(base) in _CLASSES for owner in trial.flow.bases(node) for base in owner.bases
    )


def makes_model(trial: Trial, node: ast.AST) -> bool:
    """Whether an expression is a call that makes a Keras model."""
    if not isinstance(node, ast.Call):
        return False
    today = trial.today(node.func)
    is_made = today in _CLASSES | _MAKERS or today.startswith(f"{KERAS}.applications.")
    return (is_made or _is_wrapping(node)) or any(
        trial.today(base) in _CLASSES for base in _bases(trial, node.func)
    )


def returned_models(trial: Trial, method: Function) -> set[Origin]:
    """Where the models that a ``build_model`` returns come from."""
    origins: set[Origin] = set()
    for value in trial.flow.returned(method):
        origins |= unwrap_origins(trial, trial.flow.origins(value))
    # The generator of a script yields the model that it passes to ``Fit``.
    calls = (call for call in trial.modules.of(ast.Call) if getattr(call.func, "attr", "") == "Fit")
    fits = [call for call in calls if ast.unparse(call.func) == _FIT]
    return {origin for call in fits for origin in trial.flow.origins(call.args[0])} or origins


def _compile(
    trial: Trial, source: Source, call: ast.Call, origins: list[Origin], returned: set[Origin]
) -> Compile:
    models = unwrap_origins(trial, origins)
    known = bool(models) and all(makes_model(trial, origin.node) for origin in models)
    returns_known = bool(returned) and all(makes_model(trial, origin.node) for origin in returned)
    is_other = known and returns_known and models.isdisjoint(returned)
    if source.names.function_of(call) is None:  # of a script, unless the trial returns it
        is_other = models.isdisjoint(returned)
    is_other = is_other or is_local(trial, call)
    makers = [origin.node.func for origin in models if isinstance(origin.node, ast.Call)]
    makers += [base for maker in makers for base in _bases(trial, maker)]
    meanings = [trial.modules.meaning(maker) or "" for maker in makers]
    is_own = any(means_standalone(trial, meaning) for meaning in meanings)
    of_tensorflow = any(meaning.startswith("tensorflow.") for meaning in meanings)
    standalone = not of_tensorflow and (is_own or has_standalone_layers(trial))
    wrapped = any(_is_wrapping(origin.node) for origin in origins)
    return Compile(source, call, not is_other, wrapped, standalone)


def classes_of(trial: Trial, maker: ast.expr) -> list[ast.ClassDef]:
    """The classes of the project that an expression may mean."""
    nodes = [origin.node for origin in trial.flow.origins(maker)]
    return [node for node in nodes if isinstance(node, ast.ClassDef)]


def _bases(trial: Trial, maker: ast.expr) -> list[ast.expr]:
    """The bases of the classes of the project that an expression may mean."""
    classes = [kind for owner in classes_of(trial, maker) for kind in trial.flow.bases(owner)]
    return [base for kind in classes for base in kind.bases]


def unwrap_origins(trial: Trial, origins: list[Origin]) -> set[Origin]:
    """Return the origins of models, where ``wrap_model`` is replaced by what it wraps."""
    models: set[Origin] = set()
    for origin in origins:
        if _is_wrapping(origin.node) and origin.node.args:  # type: ignore[attr-defined]
            inner = trial.flow.origins(origin.node.args[0])  # type: ignore[attr-defined]
            models |= {wrapped for wrapped in inner if not _is_wrapping(wrapped.node)}
        else:
            models.add(origin)
    return models


def _is_wrapping(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "wrap_model"


def _is_model(trial: Trial, call: ast.Call, origins: list[Origin]) -> bool:
    """Whether a call of ``compile`` is that of a Keras model."""
    assert isinstance(call.func, ast.Attribute)
    receiver = call.func.value
    if isinstance(receiver, ast.Call) and getattr(receiver.func, "id", "") == "super":
        return False
    if trial.modules.is_of_library(receiver):
        return False
    if any(makes_model(trial, origin.node) for origin in origins):
        return True
    keywords = {keyword.arg for keyword in call.keywords}
    return bool(keywords & (_ARGUMENTS | {None})) or len(call.args) > 1


def is_local(trial: Trial, node: ast.AST, seen: frozenset[ast.AST] = frozenset()) -> bool:
    """Tell whether code runs only below ``if __name__ == "__main__":``, or not at all."""
    names = trial.modules.home(node).names
    function = names.function_of(node)
    if function is None:
        while node in names.parents:
            node = names.parents[node]
            if isinstance(node, ast.If) and ast.unparse(node.test) in MAIN_GUARDS:
                return True
        return False
    if function in seen:
        return True
    is_plain = isinstance(function, Function) and isinstance(names.parents[function], ast.Module)
    if not is_plain or function in (trial.loaders, trial.download) or trial.flow.escapes(function):
        return False
    callers = seen | {function}
    return all(is_local(trial, call.node, callers) for call in trial.flow.calls(function))


# Callbacks. One that acts on batches depends on epochs too: batches are numbered in an epoch.

_CALLBACKS = "tensorflow.keras.callbacks."
_DETERMINED = "determined.keras.callbacks."
#: Callbacks that watch a metric. Determined has its own, which act after validations.
_BY_VALIDATION = ("EarlyStopping", "ReduceLROnPlateau")
#: A callback of Keras that does not depend on epochs.
_WITHOUT_EPOCHS = f"{_CALLBACKS}TerminateOnNaN"


@dataclass(frozen=True)
class Monitor:
    """The metrics that an ``EarlyStopping`` or ``ReduceLROnPlateau`` watches."""

    call: ast.Call  #: the call that makes the callback
    is_of_keras: bool  #: whether it is the callback of Keras, and not that of Determined
    node: ast.expr | None  #: the argument ``monitor``; None if it is not written out
    texts: tuple[ast.Constant, ...]  #: the strings that it may be
    metrics: frozenset[str] | None  #: the metrics that it may name; None if they are not visible


def monitor_of(trial: Trial, call: ast.Call) -> Monitor | None:
    """The metrics that a callback watches; None if a call makes no such callback."""
    today = trial.today(call.func)
    package, _, name = today.rpartition(".")
    if name not in _BY_VALIDATION or f"{package}." not in (_CALLBACKS, _DETERMINED):
        return None
    is_of_keras = today.startswith(_CALLBACKS)
    monitor = argument(call, "monitor", 0)
    if monitor is None:
        hides = any(keyword.arg is None for keyword in call.keywords)
        return Monitor(call, is_of_keras, None, (), None if hides else frozenset({"val_loss"}))
    origins = trial.flow.origins(monitor)
    values = [origin.node for origin in origins if not origin.path]
    texts = tuple(value for value in values if isinstance(value, ast.Constant))
    metrics = frozenset(str(text.value) for text in texts) if len(texts) == len(origins) else None
    return Monitor(call, is_of_keras, monitor, texts, metrics)


def watches_validation(trial: Trial, call: ast.Call) -> bool:
    """Whether a call makes a Keras callback that Determined has too, watching validation."""
    monitor = monitor_of(trial, call)
    return (
        monitor is not None
        and monitor.is_of_keras
        and monitor.metrics is not None
        and all(metric.startswith("val_") for metric in monitor.metrics)
        and not any(key in monitor.metrics or key is ... for key in _stored_keys(trial))
    )


def _stored_keys(trial: Trial) -> Iterator[object]:
    """The keys that code stores in dicts, as a callback may in ``logs`` for those after it.

    An ellipsis stands for a computed key that may be a metric of a validation.
    """
    for item in trial.modules.of(ast.Subscript):
        if isinstance(item.ctx, ast.Store):
            yield _key(trial, item.slice, item.value)
    for display in trial.modules.of(ast.Dict):
        yield from (getattr(key, "value", None) for key in display.keys)
    for call in trial.modules.of(ast.Call):
        match call:
            case ast.Call(func=ast.Attribute(value=keyed, attr="update" | "setdefault")):
                yield from (
                    option.arg or _key(trial, option.value, keyed) for option in call.keywords
                )
                keys = getattr(call.args[0], "keys", call.args[:1]) if call.args else ()
                yield from (_key(trial, key, keyed) for key in keys)


def _key(trial: Trial, key: ast.expr | None, keyed: ast.expr) -> object:
    if isinstance(key, ast.Constant):
        return key.value
    may_be = key is None or "val_" in ast.unparse(key) or _are_logs(trial, keyed)
    return ... if may_be else None


def _are_logs(trial: Trial, node: ast.expr) -> bool:
    """Whether a dict may be the logs that a hook of a callback got."""
    if ast.unparse(node) == "logs":
        return True
    for origin in trial.flow.origins(node):
        if isinstance(origin.node, ast.arg):
            parents = trial.modules.home(origin.node).names.parents
            hook = parents[parents[origin.node]]
            if getattr(hook, "name", "").startswith("on_") or origin.node.arg == "logs":
                return True
    return False


def may_act_by_epoch(trial: Trial, value: ast.expr) -> bool:
    """Whether a list of callbacks may hold one that depends on epochs: any that is not known."""
    for node in trial.flow.members(value):
        match node:
            case ast.List():
                uses = trial.flow.uses(node)
                is_plain = not any(use.is_change or use.way is Way.ARGUMENT for use in uses)
                is_plain &= not any(isinstance(use.around, ast.arguments) for use in uses)
                is_plain &= trial.modules.home(node).names.function_of(node) is not None
            case ast.Call():
                today = trial.today(node.func)
                is_known = today.startswith((_DETERMINED, "legacy_keras.", _WITHOUT_EPOCHS))
                is_plain = is_known or watches_validation(trial, node)
            case _:
                is_plain = isinstance(node, ast.Tuple | ast.BinOp | ast.Constant)
        if not is_plain:
            return True
    return False
