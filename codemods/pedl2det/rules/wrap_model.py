"""P008: the model and its optimizer are wrapped before ``compile``."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import libcst as cst

from pedl2det.edit.making import Edit, before, expression, statements
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.flow import where
from pedl2det.flow.compiled_model import CompiledModel, UnclearModel, Wrapping
from pedl2det.flow.keras_metrics import is_keras_trial
from pedl2det.plan import Plan
from pedl2det.rules.legacy_optimizers import OPTIMIZERS
from pedl2det.rules.rule import Rule, Safety
from pedl2det.rules.wrap_model_cases import CASES
from pedl2det.tables.keras_names import OPTIMIZERS as MODULE
from pedl2det.tables.keras_names import public

_OPTIMIZER = "optimizer"


def plan(project: TrialProject, plan: Plan) -> None:
    """Rewrite ``build_model``, if it compiles the model that it returns."""
    if is_keras_trial(project):  # the harness compiled it
        return
    source, trial_node = project.trial
    method = where.methods(project).get("build_model")
    if method is None:
        plan.refuse(RULE.id, source, trial_node, "the trial has no build_model of its own")
        return
    plan_function(project, plan, where.file_of(project, method), method)


def plan_function(
    project: TrialProject, plan: Plan, source: Source, method: ast.FunctionDef
) -> None:
    """Rewrite a function that makes the model, if it compiles the model that it returns."""
    model = CompiledModel(project)
    try:
        model.read(source, method)
    except UnclearModel as unclear:
        plan.refuse(RULE.id, unclear.source, unclear.node, str(unclear))
        return
    for one in model.wrappings:
        if one.compiles:
            plan_compile(plan, one.source, one.function, one.statement, one.names)
        else:
            _plan_handed(plan, one)


def _plan_handed(plan: Plan, wrapping: Wrapping) -> None:
    """Wrap the model before it is handed to the function that compiles it."""
    call = wrapping.statement.value
    context = plan.context(RULE.id, wrapping.source, call, "the model is compiled here")
    if context is not None:
        code = _wrap_model(context, wrapping.names)
        plan.line(RULE.id, wrapping.source, wrapping.statement, before(code))


def _wrap_model(context: str, names: Sequence[str]) -> str:
    """The statement that binds the wrapped model to its names."""
    return f"{' = '.join(names)} = {context}.wrap_model({names[-1]})\n" if names else ""


def plan_compile(
    plan: Plan,
    source: Source,
    method: ast.FunctionDef | ast.Module,
    statement: ast.Expr,
    names: tuple[str, ...],
) -> None:
    """Wrap the model and its optimizer before one ``compile``.

    Args:
        plan: what to add it to.
        source: the file.
        method: the scope of the names there.
        statement: the statement that compiles.
        names: the names that get the wrapped model; none where it is wrapped already.
    """
    call = statement.value
    assert isinstance(call, ast.Call)
    if plan.project.script is None:
        context = plan.context(RULE.id, source, call, "the model is compiled here")
        if context is None:
            return
    else:
        context = where.context_in(plan.project, source, call)
    optimizer = _optimizer(call)
    if context is None or optimizer is None:
        plan.refuse(RULE.id, source, call, "the optimizer of compile is not visible here")
        return
    made = _made(plan, source, method, optimizer)
    wrap_model = _wrap_model(context, names)
    name = _local_name(source, method, optimizer)

    def edit(line: Any) -> Any:
        compile_call = line.body[0].value
        index = _index(compile_call)
        argument = compile_call.args[index]
        value = made(argument.value)
        wrapped = _wrapped(context, value, compile_call if value is argument.value else None)
        new_lines = statements(wrap_model)
        if name is not None:
            new_lines += statements(f"{name} = 0\n")
            assign = new_lines[-1].body[0].with_changes(value=wrapped)
            new_lines[-1] = new_lines[-1].with_changes(body=[assign])
            wrapped = cst.Name(name)
        args = list(compile_call.args)
        args[index] = argument.with_changes(value=wrapped)
        line = line.with_changes(body=[cst.Expr(compile_call.with_changes(args=args))])
        lines = [*new_lines, line.with_changes(leading_lines=[])]
        lines[0] = lines[0].with_changes(leading_lines=line.leading_lines)
        return cst.FlattenSentinel(lines)

    plan.line(RULE.id, source, statement, edit)


def _made(
    plan: Plan, source: Source, method: ast.FunctionDef | ast.Module, optimizer: ast.expr
) -> Edit:
    """How the expression of an optimizer becomes an optimizer object of the old kind."""
    if is_optimizer(source, method, optimizer):
        return lambda value: value
    if source.names.module_bindings("tf") not in ([], ["tensorflow"]) or _hides_tf(
        method, optimizer
    ):
        plan.refuse(RULE.id, source, optimizer, "tf means something other than TensorFlow here")
    plan.require(source, "import tensorflow as tf")
    if isinstance(optimizer, ast.Constant):
        text = str(optimizer.value)
        by_name = {name.lower(): name for name in OPTIMIZERS}.get(text.lower())
        if by_name is None:
            plan.refuse(RULE.id, source, optimizer, f"{text!r} names no optimizer of Keras")
        return lambda _: expression(f"tf.keras.optimizers.legacy.{by_name}()")

    def get(value: Any) -> Any:
        call = expression("tf.keras.optimizers.get(x, use_legacy_optimizer=True)")
        return call.with_changes(args=[call.args[0].with_changes(value=value), call.args[1]])

    return get


def _hides_tf(function: ast.FunctionDef | ast.Module, optimizer: ast.expr) -> bool:
    """Whether a function has a ``tf`` of its own that is not TensorFlow, or not yet."""
    if isinstance(function, ast.Module):
        return False
    for node in ast.walk(function):
        match node:
            case ast.Name(id="tf", ctx=ast.Store() | ast.Del()) | ast.arg(arg="tf"):
                return True
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                own = [one for one in aliases if (one.asname or one.name) == "tf"]
                is_first = node in function.body and node.lineno < optimizer.lineno
                if own and not (is_first and own[0].name == "tensorflow"):
                    return True
            case (
                ast.FunctionDef(name="tf") | ast.ClassDef(name="tf") | ast.ExceptHandler(name="tf")
            ):
                return True
    return False


def is_optimizer(source: Source, method: ast.FunctionDef | ast.Module, optimizer: ast.expr) -> bool:
    """Whether an expression is known to be an optimizer and not the name of one."""
    if isinstance(optimizer, ast.Call):
        return all(map(_names_optimizer, source.names.meanings(optimizer.func)))
    if isinstance(optimizer, ast.Name):
        bound = [
            node
            for node in ast.walk(method)
            if isinstance(node, ast.Name)
            and node.id == optimizer.id
            and isinstance(node.ctx, ast.Store)
        ]
        statement = source.names.parents[bound[0]] if len(bound) == 1 else None
        return isinstance(statement, ast.Assign) and is_optimizer(source, method, statement.value)
    return False


def _names_optimizer(dotted: str | None) -> bool:
    """Whether a dotted name is a class of optimizers, or ``get``, which gives one."""
    module, _, name = public(dotted).rpartition(".")
    return module.startswith(MODULE) and (name in OPTIMIZERS or name == "get")


def _local_name(
    source: Source, method: ast.FunctionDef | ast.Module, optimizer: ast.expr
) -> str | None:
    """The name that the wrapped optimizer gets; None where it must stay in its place."""
    if isinstance(optimizer, ast.Name):
        return optimizer.id if source.names.binder(optimizer) is method else None
    return None if source.names.uses_name(method, _OPTIMIZER) else _OPTIMIZER


def _optimizer(call: ast.Call) -> ast.expr | None:
    if call.args and not isinstance(call.args[0], ast.Starred):
        return call.args[0]
    named = [keyword.value for keyword in call.keywords if keyword.arg == _OPTIMIZER]
    return named[0] if named else None


def _index(call: Any) -> int:
    for index, argument in enumerate(call.args):
        if argument.keyword is not None and argument.keyword.value == _OPTIMIZER:
            return index
    return 0


def _wrapped(context: str, value: Any, call: Any) -> Any:
    """``context.wrap_optimizer(value)``, laid out as ``compile`` was over its lines."""
    function = expression(f"{context}.wrap_optimizer")
    is_long = (
        call is not None
        and isinstance(call.whitespace_before_args, cst.ParenthesizedWhitespace)
        and isinstance(value, cst.Call)
        and isinstance(value.whitespace_before_args, cst.ParenthesizedWhitespace)
    )
    if not is_long:
        return cst.Call(function, [cst.Arg(value)])
    after = cst.ParenthesizedWhitespace(indent=True)
    return cst.Call(
        function,
        [cst.Arg(value, whitespace_after_arg=after)],
        whitespace_before_args=call.whitespace_before_args.with_changes(
            first_line=cst.TrailingWhitespace(), empty_lines=[]
        ),
    )


RULE = Rule(
    id="P008",
    name="wrap-model",
    doc="wrap_model before compile says which model is trained; wrap_optimizer says with what. An "
    "optimizer given by its name becomes an object, which a checkpoint can hold.",
    safety=Safety.SAFE,
    plan=plan,
    cases=CASES,
)
