"""P001: the constructor of a trial takes the context."""

from __future__ import annotations

import ast

from pedl2det import where
from pedl2det.edits import becomes
from pedl2det.plan import Plan
from pedl2det.project import TrialProject
from pedl2det.rules.rule import Case, Rule, Safety, trial


def plan(project: TrialProject, plan: Plan) -> None:
    """Give the trial ``__init__(self, context)`` and refuse classes that need more thought."""
    source, node = project.trial
    if len(node.bases) > 1 or node.keywords or node.decorator_list:
        plan.refuse(RULE.id, source, node, f"{node.name} has more than one base, or a decorator")
    for child in ast.walk(node):
        if isinstance(child, ast.Attribute) and child.attr == "context":
            plan.refuse(RULE.id, source, child, "an attribute is called context already")
    for name, method in where.methods(project).items():
        if name not in (*where.WITH_HPARAMS, "__init__"):
            continue
        arguments = method.args
        extra = len(arguments.args) != 2 or arguments.vararg or arguments.kwarg
        if extra or arguments.kwonlyargs or arguments.posonlyargs or method.decorator_list:
            plan.refuse(
                RULE.id, source, method, f"{name}: expected the signature {name}(self, hparams)"
            )
        if name == "__init__" and source.names.uses_name(method, "context"):
            plan.refuse(RULE.id, source, method, "__init__ uses the name context already")
    for statement in node.body:
        for target in statement.targets if isinstance(statement, ast.Assign) else []:
            if isinstance(target, ast.Name) and target.id in (*where.WITH_HPARAMS, "__init__"):
                plan.refuse(RULE.id, source, statement, f"{target.id} is not defined with def")
    _check_calls(project, plan)
    plan.constructor.append("self.context = context")
    _plan_super(project, plan)


def _check_calls(project: TrialProject, plan: Plan) -> None:
    """Refuse calls that lose an argument: of methods, but for ``super()``, and of the class."""
    for use in project.calls.uses(project.trial[1]):
        if use.call is not None:
            message = f"{project.trial[1].name} is made here, of hyperparameters and not a context"
            plan.refuse(RULE.id, use.source, use.call, message)
    for source in project.sources.values():
        for node in source.names.nodes:
            match node:
                case ast.Call(func=ast.Attribute(value=value, attr=attribute) as func) if (
                    attribute in where.WITH_HPARAMS
                ):
                    is_super = isinstance(value, ast.Call) and ast.unparse(value.func) == "super"
                    if not is_super and source.names.qualified(func) is None:
                        plan.refuse(RULE.id, source, node, f"{attribute} is called here")


def _plan_super(project: TrialProject, plan: Plan) -> None:
    """``super().__init__(hparams)`` hands the context on, ``super().method(hparams)`` nothing."""
    source, _ = project.trial
    for name, method in where.methods(project).items():
        for child in ast.walk(method):
            match child:
                case ast.Call(
                    func=ast.Attribute(
                        value=ast.Call(func=ast.Name(id="super")), attr=called
                    ) as func,
                    args=positional,
                    keywords=keywords,
                ) if called == name and (positional or keywords):
                    arguments = [*positional, *(keyword.value for keyword in keywords)]
                    given = "(context)" if name == "__init__" else "()"
                    text = f"{source.segment(func)}{given}"
                    plan.expression(RULE.id, source, child, becomes(text))
                    for argument in arguments:
                        plan.drop(argument)


RULE = Rule(
    id="P001",
    name="trial-class",
    doc="A trial's constructor takes the context instead of the hyperparameters and keeps it.",
    safety=Safety.SAFE,
    plan=plan,
    cases=(
        Case(
            trial(
                "def __init__(self, hparams):\n    super().__init__(hparams)\n    self.units = 4\n"
            ),
            trial(
                "def __init__(self, context: TFKerasTrialContext):\n"
                "    self.context = context\n"
                "    super().__init__(context)\n"
                "    self.units = 4\n"
            ),
        ),
        Case(
            trial('"""Has no constructor."""\n\ndef helper(self):\n    pass\n'),
            trial(
                '"""Has no constructor."""\n\n'
                "def __init__(self, context: TFKerasTrialContext) -> None:\n"
                "    self.context = context\n\n"
                "def helper(self):\n    pass\n"
            ),
        ),
        Case(
            trial("def build_model(self, hparams, depth=2):\n    pass\n"),
            {},
            says="expected the signature build_model(self, hparams)",
        ),
        Case(
            trial("pass\n\nkind = 4\n") | {"try_it.py": "from model_def import T\n\nT({}).kind\n"},
            {},
            says="T is made here, of hyperparameters and not a context",
        ),
        Case(
            trial("def __init__(self, *args, **kwargs):\n    pass\n"),
            {},
            says="expected the signature __init__(self, hparams)",
        ),
        Case(
            trial("def helper(self):\n    return self.build_model({})\n"),
            {},
            says="build_model is called here",
        ),
        Case(
            trial("keras_callbacks = lambda self, hparams: []\n"),
            {},
            says="keras_callbacks is not defined with def",
        ),
        Case(
            trial("def helper(self):\n    return self.context\n"),
            {},
            says="an attribute is called context already",
        ),
    ),
)
