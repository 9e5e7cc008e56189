"""A ``KerasTrial`` compiles its model at the end of ``build_model``, as the old harness did.

It names its metrics by role, in two dicts. Keras has one list: ``legacy_keras.named_metrics`` makes
it, under the names that are reported; Keras puts ``val_`` before those of a validation.
A callback calls ``compute_validation_metrics``; nothing calls ``batch_size``. A trial that reads
attributes that the harness set is carried over whole.

An optimizer given by its name becomes an object, which a checkpoint can hold:
``legacy_keras.standalone_optimizer`` makes that of standalone Keras, with its defaults.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from pedl2det.analysis.flow.values import Function
from pedl2det.analysis.loaders import RECORD_LOADERS, cuts_by_hyperparameter
from pedl2det.analysis.metric_names import RENAMED, keras_trials, note_on_names
from pedl2det.analysis.models import is_functional
from pedl2det.analysis.names import Names
from pedl2det.analysis.old_keras import OptimizerKind, optimizer_kind
from pedl2det.analysis.trial import Trial
from pedl2det.findings import Kind
from pedl2det.fixes import AddMember, Fix, Remark, ReplaceStatement, rewrite

_CALLBACKS = """\
def keras_callbacks(self):
    return [legacy_keras.ValidationMetrics(self)]
"""
_TWO_CALLBACKS = "compute_validation_metrics is one more callback beside these"
_OWN = "compute_validation_metrics"
_METRICS = ("training_metrics", "validation_metrics")


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite each ``KerasTrial`` of the project."""
    for root in keras_trials(trial):
        yield Fix(root, notes=((Kind.NOTE, note_on_names(trial, root)),), config=(RENAMED,))
        for method in trial.flow.overrides(root, "optimizer"):
            for value in trial.flow.returned(method):
                if optimizer_kind(trial, value) is not OptimizerKind.OBJECT:  # it may be a name
                    code = "legacy_keras.standalone_optimizer({value})"
                    yield rewrite(value, code, {"value": value})
        family = trial.flow.family(root)
        methods = [trial.flow.own_method(owner, "build_model") for owner in family]
        yield from _build_models(trial, root, [method for method in methods if method is not None])
        for owner in family:
            if trial.flow.own_method(owner, _OWN) is not None:
                callbacks = trial.flow.method(owner, "keras_callbacks")
                if callbacks is not None:
                    yield Remark(callbacks, _TWO_CALLBACKS)
                else:
                    yield Fix(owner, (AddMember(owner, _CALLBACKS),))
            size = trial.flow.own_method(owner, "batch_size")
            if size is not None:
                yield from _batch_size(trial, size)
        yield from _set_by_harness(trial, root)


def _build_models(trial: Trial, root: ast.ClassDef, methods: list[Function]) -> Iterator[Fix]:
    """Wrap and compile each model that ``build_model`` returns."""
    for method in methods:
        names = trial.modules.home(method).names
        optimizer = _free_name(names, method, "optimizer", "wrapped_optimizer")
        for value in trial.flow.returned(method):
            model = _free_name(names, method, "model", "keras_model")
            if isinstance(value, ast.Name) and names.binder(value) is method:
                model = value.id
            code = _code(trial, root, method.args.args[0].arg, model, optimizer)
            node = names.statement_of(value)
            yield Fix(node, (ReplaceStatement(node, code, {"value": value}),))


def _code(trial: Trial, root: ast.ClassDef, me: str, model: str, optimizer: str) -> str:
    """The statements that wrap, compile and return a model."""
    loss, piece = f"{me}.loss()", "named_metrics"
    if is_functional(trial, root):
        loss, piece = f"{me}.losses()", "named_metrics_by_output"
    has_any = any(trial.flow.overrides(root, name) for name in _METRICS)
    metrics = f", metrics=legacy_keras.{piece}({me})" if has_any else ""
    return (
        f"{model} = {{context}}.wrap_model({{value}})\n"
        f"{optimizer} = {{context}}.wrap_optimizer({me}.optimizer())\n"
        f"{model}.compile({optimizer}, loss={loss}{metrics})\n"
        f"return {model}\n"
    )


def _free_name(names: Names, method: Function, *wanted: str) -> str:
    return next((name for name in wanted if not names.uses_name(method, name)), f"{wanted[0]}_")


# What else the harness called or set.


def _batch_size(trial: Trial, method: Function) -> Iterator[Fix]:
    """Drop ``batch_size``, unless the trial or one of its loaders may call it."""
    attributes = [node for node in trial.modules.of(ast.Attribute) if node.attr == method.name]
    texts = [text for text in trial.modules.of(ast.Constant) if text.value == method.name]
    calls = [trial.modules.home(text).names.parents.get(text) for text in texts]
    is_read = any(map(trial.context.may_be_of_trial, attributes)) or any(
        isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("getattr", "methodcaller")
        for call in calls
    )
    is_cut = bool(trial.uses(*RECORD_LOADERS)) and not cuts_by_hyperparameter(trial)
    if not is_cut and not is_read:
        yield Fix(method, (ReplaceStatement(method),))


def _set_by_harness(trial: Trial, owner: ast.ClassDef) -> Iterator[Remark]:
    """Report reads of what the old harness set on the trial, where no callback sets it now."""
    family = trial.flow.family(owner)
    inside = {node for kind in family for node in trial.modules.home(kind).names.below(kind)}
    is_given = any(getattr(node, "id", "") == "self" and _is_given(trial, node) for node in inside)
    for name in ("model", "validation_data_adapter"):
        nodes = [
            node
            for node in trial.modules.of(ast.Attribute)
            if node.attr == name and (node in inside or is_given)
            if (ast.unparse(node.value) == "self") == (node in inside)
        ]
        is_only_read = all(isinstance(node.ctx, ast.Load) for node in nodes)
        for node in nodes if is_only_read else ():
            function = trial.modules.home(node).names.function_of(node)
            if getattr(function, "name", "") != _OWN:
                message = f"{ast.unparse(node)} was set by the old harness, and is not set now"
                yield Remark(node, message)


def _is_given(trial: Trial, node: ast.AST) -> bool:
    """Whether a value is more than asked for an attribute, such as ``Callback(self)``."""
    parent = trial.modules.home(node).names.parents[node]
    return not isinstance(parent, ast.Attribute) and not ast.unparse(parent).startswith("super(")


EXAMPLE = """\
--- net.py
  import tensorflow as tf
+
+ import legacy_keras


  class Net:
      def loss(self):
          return "mse"

-     def build_model(self, hparams):
+     def build_model(self):
          net = make()
+         net = self.context.wrap_model(net)
+         optimizer = self.context.wrap_optimizer(self.optimizer())
+         net.compile(
+             optimizer, loss=self.loss(), metrics=legacy_keras.named_metrics(self)
+         )
          return net  # small

      def validation_metrics(self):
          return {"accuracy": tf.keras.metrics.categorical_accuracy}
! in a validation each has val_ before its name
"""
