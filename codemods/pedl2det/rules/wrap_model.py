"""P008: the model and its optimizer are wrapped before ``compile``."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det import where
from pedl2det.edits import expression, statements
from pedl2det.plan import Plan
from pedl2det.project import TrialProject
from pedl2det.rules.legacy_optimizers import OPTIMIZERS
from pedl2det.rules.rule import Case, Rule, Safety, trial
from pedl2det.source import Source

_OPTIMIZER = "optimizer"


def plan(project: TrialProject, plan: Plan) -> None:
    """Rewrite ``build_model``, if it compiles the model that it returns."""
    source, trial_node = project.trial
    method = where.methods(project).get("build_model")
    if method is None:
        plan.refuse(RULE.id, source, trial_node, "the trial has no build_model of its own")
        return
    returned = {
        ast.unparse(node.value)
        for node in ast.walk(method)
        if isinstance(node, ast.Return) and node.value and _is_own(source, node, method)
    }
    ours = [
        node
        for node in ast.walk(method)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "compile"
        and ast.unparse(node.func.value) in returned
    ]
    if len(returned) != 1 or not ours:
        message = "build_model does not compile, by its name, the model that it returns"
        plan.refuse(RULE.id, source, method, message)
        return
    for call in ours:
        statement = source.names.parents[call]
        assert isinstance(call.func, ast.Attribute)
        if isinstance(statement, ast.Expr) and isinstance(
            call.func.value, ast.Name | ast.Attribute
        ):
            _plan_compile(project, plan, source, method, statement, call)
        else:
            plan.refuse(RULE.id, source, call, "compile is called within an expression")


def _is_own(source: Source, node: ast.AST, method: ast.FunctionDef) -> bool:
    """Whether a statement belongs to the method and not to a function within it."""
    while node is not method:
        node = source.names.parents[node]
        if isinstance(node, ast.FunctionDef) and node is not method:
            return False
    return True


def _plan_compile(
    project: TrialProject,
    plan: Plan,
    source: Source,
    method: ast.FunctionDef,
    statement: ast.Expr,
    call: ast.Call,
) -> None:
    context = where.context_in(project, source, call)
    optimizer = _optimizer(call)
    if context is None or optimizer is None:
        plan.refuse(RULE.id, source, call, "the optimizer of compile is not visible here")
        return
    assert isinstance(call.func, ast.Attribute)
    model = source.segment(call.func.value)
    wrap_model = f"{model} = {context}.wrap_model({model})"
    text = optimizer.value if isinstance(optimizer, ast.Constant) else None
    by_name = {name.lower(): name for name in OPTIMIZERS}.get(str(text).lower())
    if text is not None and by_name is None:
        plan.refuse(RULE.id, source, optimizer, f"{text!r} names no optimizer of Keras")
    if by_name is not None:
        plan.require(source, "import tensorflow as tf")
    free = not source.names.uses_name(method, _OPTIMIZER)
    name = optimizer.id if isinstance(optimizer, ast.Name) else _OPTIMIZER if free else None

    def edit(line: Any) -> Any:
        compile_call = line.body[0].value
        index = _index(compile_call)
        argument = compile_call.args[index]
        value = argument.value
        if by_name is not None:
            value = expression(f"tf.keras.optimizers.legacy.{by_name}()")
        wrapped = _wrapped(context, value, compile_call if value is argument.value else None)
        new_lines = statements(f"{wrap_model}\n")
        if name is not None:
            new_lines += statements(f"{name} = 0\n")
            assign = new_lines[-1].body[0].with_changes(value=wrapped)
            new_lines[-1] = new_lines[-1].with_changes(body=[assign])
            wrapped = cst.Name(name)
        args = list(compile_call.args)
        args[index] = argument.with_changes(value=wrapped)
        line = line.with_changes(body=[cst.Expr(compile_call.with_changes(args=args))])
        first, *others = new_lines
        first = first.with_changes(leading_lines=line.leading_lines)
        return cst.FlattenSentinel([first, *others, line.with_changes(leading_lines=[])])

    plan.line(RULE.id, source, statement, edit)


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


def _built(lines: str) -> dict[str, str]:
    return trial(f"def build_model(self, hparams):\n    model = make()\n{lines}    return model\n")


RULE = Rule(
    id="P008",
    name="wrap-model",
    doc="wrap_model before compile says which model is trained; wrap_optimizer says with what. An "
    "optimizer given by its name becomes an object, which a checkpoint can hold.",
    safety=Safety.SAFE,
    plan=plan,
    cases=(
        Case(
            _built('    model.compile(Adam(0.1), "mse", metrics=["mae"])\n'),
            _built(
                "    model = self.context.wrap_model(model)\n"
                "    optimizer = self.context.wrap_optimizer(Adam(0.1))\n"
                '    model.compile(optimizer, "mse", metrics=["mae"])\n'
            ),
        ),
        Case(
            _built('    model.compile(loss="mse", optimizer="adam")\n'),
            _built(
                "    model = self.context.wrap_model(model)\n"
                "    optimizer = self.context.wrap_optimizer("
                "tf.keras.optimizers.legacy.Adam())\n"
                '    model.compile(loss="mse", optimizer=optimizer)\n'
            ),
        ),
        Case(
            _built('    model.compile("best", "mse")\n'),
            {},
            says="'best' names no optimizer of Keras",
        ),
        Case(
            trial("def build_model(self, hparams):\n    return compiled()\n"),
            {},
            says="build_model does not compile",
        ),
        Case(
            _built("    model.compile(**options)\n"),
            {},
            says="the optimizer of compile is not visible here",
        ),
    ),
)
