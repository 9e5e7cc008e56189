"""Wrap the trained model with ``context.wrap_model``, and its optimizer with ``wrap_optimizer``.

Both calls go before the call of ``compile``, if a single one compiles what ``build_model`` returns,
and runs once. Where several models are compiled, or it is not visible which,
``legacy_keras.trained`` wraps what ``build_model`` returns and compiles it again, with the same
arguments.

An optimizer that is named by a string becomes an object of the class that the name meant, because
a checkpoint can only save objects. The same holds for the optimizers of other models, unless they
are certainly objects.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from pedl2det.analysis import old_keras
from pedl2det.analysis.bindings import COMPREHENSIONS
from pedl2det.analysis.flow.values import Function
from pedl2det.analysis.metric_names import renamed_since_tf1
from pedl2det.analysis.models import (
    Compile,
    build_methods,
    classes_of,
    compiles,
    is_local,
    is_model_class,
    returned_models,
    unwrap_origins,
)
from pedl2det.analysis.old_keras import BY_NAME, LEGACY, OPTIMIZERS, OptimizerKind, optimizer_kind
from pedl2det.analysis.source import spell
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.fixes import AddArgument, Edit, Extract, Fix, InsertBefore, Remark, Replace, rewrite
from pedl2det_names import Age

_FITS = ("fit", "fit_generator", "train_on_batch")
#: Nodes in which a call may run never, or more than once.
_BRANCHES = (
    *(ast.For, ast.AsyncFor, ast.While, ast.If, ast.IfExp, ast.BoolOp, ast.Try, ast.Match),
    *(ast.Lambda, ast.ClassDef, *COMPREHENSIONS),
)
_MODULE = "the model is compiled while its module is imported, before there is a context"
_BUILT = "the trial builds a model itself, which the context would mistake for the trained one"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Wrap the trained model and its optimizers, or report why that is impossible."""
    calls = compiles(trial)
    is_by_hand = any(compiled.is_wrapped for compiled in calls)
    is_by_hand |= trial.generation is Generation.CONTEXT
    if not (trial.carried or is_by_hand):
        for node in _own_builds(trial):
            yield Remark(node, _BUILT)
    methods = [method for method in build_methods(trial) if trial.flow.returned(method)]
    if trial.carried:  # P034 binds what is returned
        plain = []
    elif is_by_hand:
        calls = [compiled for compiled in calls if _is_unfinished(trial, compiled)]
        wrapped = [compiled for compiled in calls if compiled.is_wrapped and compiled.is_trained]
        plain = [one for one in wrapped if trial.context.at(one.call) and not one.hides_arguments]
    else:
        plain = _plain(trial, calls, methods) if methods else []
        if not plain:
            yield from _wrap_returned(trial, methods)
    is_recorded = trial.carried or bool(methods and not is_by_hand and not plain)
    for compiled in calls:
        if compiled in plain:
            yield _wrap(trial, compiled)
        else:
            yield from _keep(trial, compiled, methods, is_recorded)


def _is_unfinished(trial: Trial, compiled: Compile) -> bool:
    """Whether a call still has to be rewritten in a trial that calls ``wrap_model`` itself.

    A checkpoint of Determined cannot save the state of an optimizer that is named by a string.
    """
    if _has_own_compile(trial, compiled):
        return False
    is_new = trial.generation is Generation.CONTEXT
    is_aged = not is_new or old_keras.age(trial) is not Age.CURRENT
    is_named = any(
        optimizer_kind(trial, optimizer) is OptimizerKind.NAME for optimizer in compiled.optimizers
    )
    return is_aged or (compiled.is_wrapped and is_named and not compiled.hides_arguments)


def _own_builds(trial: Trial) -> Iterator[ast.Attribute]:
    """Uses of ``build_model`` by which the project itself may build the running trial's model."""
    methods = [method for _, method in trial.methods("build_model")]
    for node in trial.modules.of(ast.Attribute):
        if node.attr != "build_model" or not isinstance(node.ctx, ast.Load):
            continue
        call = trial.modules.home(node).names.parents[node]
        is_call = isinstance(call, ast.Call) and call.func is node
        called = [*trial.flow.called(call)] if is_call else []  # type: ignore[arg-type]
        is_own = {*called} & {*methods} if called else not trial.modules.is_of_library(node)
        if is_own and not _is_made(trial, node):
            yield node


def _is_made(trial: Trial, node: ast.Attribute) -> bool:
    """Whether a method belongs to an object that the project creates, so no harness trains it."""
    return any(
        isinstance(origin.node, ast.ClassDef)
        for maker in trial.flow.origins(node.value)
        if isinstance(maker.node, ast.Call)
        for origin in trial.flow.origins(maker.node.func)
    )


# Whether one call compiles what is trained.


def _plain(trial: Trial, calls: list[Compile], methods: list[Function]) -> list[Compile]:
    """The calls, if each compiles the model of one ``build_model``, alone and once; else none.

    If there are several methods, each has to compile its model itself.
    """
    calls = [compiled for compiled in calls if not is_local(trial, compiled.call)]
    homes = [compiled.source.names.function_of(compiled.call) for compiled in calls]
    pairs = zip(calls, methods if len(methods) == 1 else homes, strict=False)
    is_plain = len(calls) == len(methods) and (len(methods) == 1 or {*homes} == {*methods})
    return calls if is_plain and all(_is_plain(trial, *pair) for pair in pairs) else []  # type: ignore[arg-type]


def _is_plain(trial: Trial, compiled: Compile, method: Function) -> bool:
    owner = compiled.source.names.class_around(compiled.call)
    models = unwrap_origins(trial, trial.flow.origins(compiled.model))
    return (
        not compiled.hides_arguments
        and trial.context.at(compiled.call) is not None
        and not (owner is not None and is_model_class(trial, owner))
        and not _has_own_compile(trial, compiled)
        and models == returned_models(trial, method)
        and _runs_once(trial, compiled.call, method)
        and not _is_fitted(trial, compiled)
    )


def _has_own_compile(trial: Trial, compiled: Compile) -> bool:
    """Whether the model's class defines ``compile`` itself, and so makes the optimizer."""
    origins = unwrap_origins(trial, trial.flow.origins(compiled.model))
    makers = [origin.node.func for origin in origins if isinstance(origin.node, ast.Call)]
    classes = [owner for maker in makers for owner in classes_of(trial, maker)]
    return any(trial.flow.method(owner, "compile") is not None for owner in classes)


def _runs_once(
    trial: Trial, node: ast.AST, method: Function, seen: frozenset[Function] = frozenset()
) -> bool:
    """Whether a call runs once for each call of ``build_model``, or in the constructor."""
    names = trial.modules.home(node).names
    constructors = [constructor for _, constructor in trial.methods("__init__")]
    for parent in names.around(node):
        if isinstance(parent, _BRANCHES):
            return False
        if not isinstance(parent, Function):
            continue
        if parent is method or parent in constructors:
            return True
        calls = [call.node for call in trial.flow.calls(parent) if not is_local(trial, call.node)]
        if len(calls) != 1 or parent in seen or trial.flow.escapes(parent):
            return False
        return _runs_once(trial, calls[0], method, seen | {parent})
    return False


def _is_fitted(trial: Trial, compiled: Compile) -> bool:
    """Whether the trial may call ``fit`` itself, which does not train a wrapped model."""
    models = trial.flow.origins(compiled.model)
    return any(
        origin in models or not isinstance(origin.node, ast.Call | ast.ClassDef)
        for fit in trial.modules.of(ast.Attribute)
        if fit.attr in _FITS and isinstance(fit.ctx, ast.Load) and not is_local(trial, fit)
        if not isinstance(trial.modules.home(fit).names.parents[fit], ast.Attribute)
        for origin in trial.flow.origins(fit.value)
    )


# Rewrites where one call compiles what is trained.


def _wrap(trial: Trial, compiled: Compile) -> Fix:
    """Wrap the model and its optimizers before they are compiled."""
    call = compiled.call
    edits = [] if compiled.is_wrapped else [_wrap_model(compiled)]
    imports: tuple[str, ...] = ()
    for value in compiled.optimizers:
        more, imports = _wrap_optimizer(trial, compiled, value)
        edits += more
    if not compiled.optimizers:
        default = 'optimizer={context}.wrap_optimizer(legacy_keras.optimizer("rmsprop"))'
        edits.append(AddArgument(call, default))
    config = renamed_since_tf1(trial, call)
    return Fix(call, tuple(edits), imports=imports, config=config)


def _statement(compiled: Compile) -> ast.Expr | None:
    """The statement that consists of the call alone."""
    parent = compiled.source.names.parents.get(compiled.call)
    return parent if isinstance(parent, ast.Expr) else None


def _wrap_model(compiled: Compile) -> Edit:
    """``model = self.context.wrap_model(model)``, or the call around the model's expression."""
    model, statement = compiled.model, _statement(compiled)
    if statement is not None and _is_variable(compiled, model):
        code = f"{ast.unparse(model)} = {{context}}.wrap_model({{model}})"
        return InsertBefore(statement, code, {"model": model})
    return Replace(model, "{context}.wrap_model({model})", {"model": model})


def _is_variable(compiled: Compile, node: ast.expr) -> bool:
    """Whether an expression is a variable of the function around it, or an attribute."""
    names = compiled.source.names
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name)
    return isinstance(node, ast.Name) and names.binder(node) is names.definition_around(node)


def _wrap_optimizer(
    trial: Trial, compiled: Compile, value: ast.expr
) -> tuple[list[Edit], tuple[str, ...]]:
    """Return the edits that wrap an optimizer, and their imports."""
    kind = optimizer_kind(trial, value)
    edits: list[Edit] = []
    if kind is OptimizerKind.WRAPPED:
        return [], ()
    imports: tuple[str, ...] = ()
    optimizer = "{value}"
    has_constants = not (compiled.is_standalone and old_keras.sets_epsilon(trial))
    if kind is OptimizerKind.NAME and isinstance(value, ast.Constant) and has_constants:
        name = BY_NAME[str(value.value).lower()]
        module = OPTIMIZERS if old_keras.age(trial) is Age.CURRENT else LEGACY
        spelling = spell(compiled.source, f"{module}.{name}")
        defaults = old_keras.defaults_by_name(trial, name, compiled.is_standalone)
        edits.append(Replace(value, f"{spelling.code}({defaults})"))
        imports = spelling.imports
    elif kind is not OptimizerKind.OBJECT:
        optimizer = f"legacy_keras.{_piece(compiled)}({{value}})"
    code = f"{{context}}.wrap_optimizer({optimizer})"
    statement, names = _statement(compiled), compiled.source.names
    function = names.function_of(compiled.call)
    if statement is not None and isinstance(value, ast.Name) and _is_variable(compiled, value):
        edits.append(InsertBefore(statement, f"{value.id} = {code}", {"value": value}))
    elif (
        statement is not None
        and not (function is not None and names.uses_name(function, "optimizer"))
        and _comes_first(trial, compiled.call, value)
    ):
        edits.append(Extract(value, statement, "optimizer", f"optimizer = {code}"))
    else:
        edits.append(Replace(value, code, {"value": value}))
    return edits, imports


#: Expressions that run no code of the project.
_INERT = (ast.Constant, ast.Name, ast.List, ast.Tuple, ast.Dict, ast.Lambda)


def _comes_first(trial: Trial, call: ast.Call, value: ast.expr) -> bool:
    """Whether a call runs no other code before an argument, so that the argument can move up."""
    parts = [*call.args, *(keyword.value for keyword in call.keywords)]
    before = [*parts[: parts.index(value)]]
    for node in before:
        before += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    return all(isinstance(node, _INERT) or trial.modules.is_of_library(node) for node in before)


# Rewrites everywhere else.


def _wrap_returned(trial: Trial, methods: list[Function]) -> Iterator[Fix]:
    """Wrap what ``build_model`` returns with ``legacy_keras.trained``."""
    for method in methods:
        for value in trial.flow.returned(method):
            has_context = trial.context.at(value) is not None
            context = "{context}" if has_context else "legacy_keras.context()"
            code = f"legacy_keras.trained({context}, {{value}})"
            yield rewrite(value, code, {"value": value})


def _keep(
    trial: Trial, compiled: Compile, methods: list[Function], is_recorded: bool
) -> Iterator[Fix | Remark]:
    """Keep a call, but make optimizers from their names, unless ``trained`` does that."""
    source, call = compiled.source, compiled.call
    homes = [trial.modules.home(method) for method in methods]
    if compiled.is_trained and source.names.function_of(call) is None and source not in homes:
        yield Remark(call, _MODULE, "compile it in build_model")
        return
    edits: list[Edit] = []
    if compiled.is_standalone or not is_recorded or is_local(trial, call):
        piece, has_own = _piece(compiled), _has_own_compile(trial, compiled)
        for value in compiled.optimizers:
            kind = optimizer_kind(trial, value)
            may_be_name = kind is OptimizerKind.UNKNOWN and not isinstance(value, ast.Constant)
            if kind is OptimizerKind.NAME or (may_be_name and not has_own):
                edits.append(Replace(value, f"legacy_keras.{piece}({{value}})", {"value": value}))
        stars = [keyword.value for keyword in call.keywords if keyword.arg is None]
        for value in stars if not has_own else ():
            arguments = f"arguments_of_{piece}"
            edits.append(Replace(value, f"legacy_keras.{arguments}({{value}})", {"value": value}))
        if not (compiled.optimizers or has_own or compiled.hides_arguments):
            edits.append(AddArgument(call, f'optimizer=legacy_keras.{piece}("rmsprop")'))
    config = renamed_since_tf1(trial, call) if compiled.is_trained and methods else ()
    if edits or config:
        yield Fix(call, tuple(edits), config=config)


def _piece(compiled: Compile) -> str:
    return "standalone_optimizer" if compiled.is_standalone else "optimizer"


EXAMPLE = """\
--- net.py
  import tensorflow as tf
  from tensorflow.keras.optimizers.legacy import Adam


  class Net:
-     def build_model(self, hparams):
+     def build_model(self):
          model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
+         model = self.context.wrap_model(model)
+         optimizer = self.context.wrap_optimizer(Adam(0.1))
-         model.compile(Adam(0.1), "mse", metrics=["mae"])
+         model.compile(optimizer, "mse", metrics=["mae"])
          return model
"""
