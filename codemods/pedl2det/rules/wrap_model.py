"""P008: the model and its optimizer are wrapped before ``compile``."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import libcst as cst

from pedl2det import where
from pedl2det.edits import Edit, expression, statements
from pedl2det.keras_metrics import is_keras_trial
from pedl2det.keras_names import OPTIMIZERS as MODULE
from pedl2det.keras_names import public
from pedl2det.plan import Plan
from pedl2det.project import TrialProject
from pedl2det.rules.legacy_optimizers import OPTIMIZERS
from pedl2det.rules.rule import Case, Rule, Safety, trial
from pedl2det.source import Source

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
    own = [
        node
        for node in ast.walk(method)
        if isinstance(node, ast.stmt | ast.expr) and source.names.definition_around(node) is method
    ]
    returned = {
        ast.unparse(node.value) for node in own if isinstance(node, ast.Return) and node.value
    }
    ours = [
        node
        for node in own
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr == "compile"
        and ast.unparse(node.value.func.value) in returned
    ]
    if len(returned) != 1 or always_compiles(method.body, ours) is not True:
        message = (
            f"{method.name} does not compile, by its name and always, the model that it returns"
        )
        plan.refuse(RULE.id, source, method, message)
        return
    problem = _problem(project, source, method, own, ours)
    if problem:
        plan.refuse(RULE.id, source, ours[0], problem)
        return
    for statement in ours:
        plan_compile(plan, source, method, statement)


def always_compiles(body: Sequence[ast.stmt], compiles: list[ast.Expr]) -> bool | None:
    """Whether a body compiles before it returns; None where it goes on without having done so."""
    for statement in body:
        done: bool | None = None
        match statement:
            case ast.Expr() if statement in compiles:
                return True
            case ast.Return():
                return False
            case ast.Raise():
                return True
            case ast.With(body=inner):
                done = always_compiles(inner, compiles)
            case ast.If(body=inner, orelse=other):
                branches = always_compiles(inner, compiles), always_compiles(other, compiles)
                done = False if False in branches else True if branches == (True, True) else None
            case ast.For() | ast.While() | ast.Try():
                inner_nodes = list(ast.walk(statement))
                if any(isinstance(node, ast.Return) or node in compiles for node in inner_nodes):
                    return False
        if done is not None:
            return done
    return None


def _problem(
    project: TrialProject,
    source: Source,
    method: ast.FunctionDef,
    own: list[ast.stmt | ast.expr],
    compiles: list[ast.Expr],
) -> str | None:
    """Why the compiled model cannot be wrapped under its name, if it cannot."""
    model = _model(compiles[0])
    if isinstance(model, ast.Attribute):
        if model.attr in where.methods(project):
            return f"{ast.unparse(model)} is a property, and cannot be assigned"
        return None
    if not isinstance(model, ast.Name):
        return f"{ast.unparse(model)} is no name that could be assigned"
    if source.names.binder(model) is not method:
        return f"{model.id} is not a name of {method.name} itself"
    for node in own:
        if isinstance(node, ast.Name) and node.id == model.id and isinstance(node.ctx, ast.Store):
            for statement in compiles:
                later = (node.lineno, node.col_offset) > (statement.lineno, statement.col_offset)
                if later and not exclude_each_other(source, node, statement):
                    return f"{model.id} is bound anew after it was compiled"
    return None


def exclude_each_other(source: Source, one: ast.AST, other: ast.AST) -> bool:
    """Whether two nodes stand in different branches of the same ``if``."""

    def branches(node: ast.AST) -> set[tuple[ast.AST, bool]]:
        found: set[tuple[ast.AST, bool]] = set()
        while node in source.names.parents:
            child, node = node, source.names.parents[node]
            if isinstance(node, ast.If):
                found.add((node, child in node.body))
        return found

    return any((node, not side) in branches(other) for node, side in branches(one))


def _model(statement: ast.Expr) -> ast.expr:
    assert isinstance(statement.value, ast.Call)
    assert isinstance(statement.value.func, ast.Attribute)
    return statement.value.func.value


def plan_compile(
    plan: Plan,
    source: Source,
    method: ast.FunctionDef | ast.Module,
    statement: ast.Expr,
    wraps_model: bool = True,
) -> None:
    """Wrap the model and its optimizer before one ``compile``.

    Args:
        plan: what to add it to.
        source: the file.
        method: the scope of the names there.
        statement: the statement that compiles.
        wraps_model: whether the model is not wrapped yet.
    """
    call = statement.value
    assert isinstance(call, ast.Call)
    context = where.context_in(plan.project, source, call)
    optimizer = _optimizer(call)
    if context is None or optimizer is None:
        plan.refuse(RULE.id, source, call, "the optimizer of compile is not visible here")
        return
    made = _made(plan, source, method, optimizer)
    model = source.segment(_model(statement))
    wrap_model = f"{model} = {context}.wrap_model({model})\n" if wraps_model else ""
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
    if source.names.module_bindings("tf") not in ([], ["tensorflow"]):
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


_IMPORTS = (
    "from tensorflow.keras.optimizers import Adam\nfrom pedl.frameworks.keras import TFKerasTrial"
)


def _built(lines: str) -> dict[str, str]:
    body = f"def build_model(self, hparams):\n    model = make()\n{lines}    return model\n"
    return trial(body, _IMPORTS)


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
            _built('    opt = choose()\n    model.compile(opt, "mse")\n'),
            _built(
                "    opt = choose()\n"
                "    model = self.context.wrap_model(model)\n"
                "    opt = self.context.wrap_optimizer("
                "tf.keras.optimizers.get(opt, use_legacy_optimizer=True))\n"
                '    model.compile(opt, "mse")\n'
            ),
        ),
        Case(
            _built(
                '    if deep:\n        model.compile(Adam(0.1), "mse")\n'
                '    else:\n        model = flat()\n        model.compile(Adam(0.2), "mse")\n'
            ),
            _built(
                "    if deep:\n"
                "        model = self.context.wrap_model(model)\n"
                "        optimizer = self.context.wrap_optimizer(Adam(0.1))\n"
                '        model.compile(optimizer, "mse")\n'
                "    else:\n"
                "        model = flat()\n"
                "        model = self.context.wrap_model(model)\n"
                "        optimizer = self.context.wrap_optimizer(Adam(0.2))\n"
                '        model.compile(optimizer, "mse")\n'
            ),
        ),
        Case(
            _built('    if deep:\n        model.compile(Adam(0.1), "mse")\n'),
            {},
            says="build_model does not compile, by its name and always,",
        ),
        Case(
            _built('    model.compile(Adam(0.1), "mse")\n    model = other()\n'),
            {},
            says="model is bound anew after it was compiled",
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
