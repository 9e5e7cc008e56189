"""P001: the constructor of a trial takes the context."""

from __future__ import annotations

import ast

from pedl2det.edit.making import becomes
from pedl2det.facts.project import TRIAL_CLASSES, TrialProject
from pedl2det.facts.renaming import renamed
from pedl2det.facts.source import Source
from pedl2det.flow import where
from pedl2det.plan import Plan
from pedl2det.rules.rule import Case, Rule, Safety, trial


def plan(project: TrialProject, plan: Plan) -> None:
    """Give the trial ``__init__(self, context)`` and refuse classes that need more thought."""
    for source, node in project.line:
        _check_class(plan, source, node)
    for source, method in where.all_methods(project):
        if method.name in (*where.WITH_HPARAMS, "__init__"):
            _check_signature(plan, source, method)
    _check_calls(project, plan)
    plan.constructor.append("self.context = context")
    for source, method in where.all_methods(project):
        _plan_super(project, plan, source, method)


def _check_class(plan: Plan, source: Source, node: ast.ClassDef) -> None:
    if len(node.bases) > 1 or node.keywords or node.decorator_list:
        plan.refuse(RULE.id, source, node, f"{node.name} has more than one base, or a decorator")
    for child in source.names.below(node):
        if _is_called_context(source, node, child):
            plan.refuse(RULE.id, source, child, "an attribute is called context already")
    for statement in node.body:
        for target in statement.targets if isinstance(statement, ast.Assign) else []:
            if isinstance(target, ast.Name) and target.id in (*where.WITH_HPARAMS, "__init__"):
                plan.refuse(RULE.id, source, statement, f"{target.id} is not defined with def")


def _is_called_context(source: Source, trial: ast.ClassDef, node: ast.AST) -> bool:
    """Whether a class gives an attribute, in whatever way, the name of the context."""
    match node:
        case ast.Attribute(attr="context"):
            return True
        case ast.FunctionDef(name="context") | ast.Name(id="context", ctx=ast.Store()):
            return source.names.definition_around(node) is trial
        case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value="context"), *_]):
            return True
    return False


def _check_signature(plan: Plan, source: Source, method: ast.FunctionDef) -> None:
    arguments = method.args
    extra = len(arguments.args) != 2 or arguments.vararg or arguments.kwarg
    if extra or arguments.kwonlyargs or arguments.posonlyargs or method.decorator_list:
        expected = f"{method.name}(self, hparams)"
        message = f"{method.name}: expected the signature {expected}"
        plan.refuse(RULE.id, source, method, message)
    if method.name == "__init__" and source.names.uses_name(method, "context"):
        plan.refuse(RULE.id, source, method, "__init__ uses the name context already")


def _check_calls(project: TrialProject, plan: Plan) -> None:
    """Refuse calls that lose an argument: of methods, but for ``super()``, and of the class."""
    for use in project.calls.uses(project.trial[1]):
        if use.call is not None:
            message = f"{project.trial[1].name} is made here, of hyperparameters and not a context"
            plan.refuse(RULE.id, use.source, use.call, message)
    for source in project.sources.values():
        for node in source.names.of(ast.Call):
            match node:
                case ast.Call(func=ast.Attribute(value=value, attr=attribute) as func) if (
                    attribute in where.WITH_HPARAMS
                ):
                    is_super = isinstance(value, ast.Call) and ast.unparse(value.func) == "super"
                    if not is_super and source.names.qualified(func) is None:
                        plan.refuse(RULE.id, source, node, f"{attribute} is called here")


def _plan_super(project: TrialProject, plan: Plan, source: Source, method: ast.FunctionDef) -> None:
    """What the class above is given: the context by a constructor, nothing by a method."""
    takes_hparams = method.name in (*where.WITH_HPARAMS, "__init__")
    for child in source.names.below(method):
        match child:
            case ast.Call(func=ast.Attribute(value=above, attr=name) as func) if (
                name == method.name and takes_hparams
            ):
                first = _first_argument(project, source, above)
            case _:
                continue
        arguments = [*child.args, *(keyword.value for keyword in child.keywords)]
        if first is None or len(arguments) <= first:
            continue
        kept = [source.segment(argument) for argument in arguments[:first]]
        given = ", ".join([*kept, *(["context"] if method.name == "__init__" else [])])
        called = source.segment(func)
        if source.names.qualified(func.value) in TRIAL_CLASSES:
            new = renamed(source, func.value, "determined.keras.TFKerasTrial")
            plan.claim(func)
            plan.require(source, new.statement)
            called = f"{new.text}.{func.attr}"
        text = f"{called}({given})"
        plan.expression(RULE.id, source, child, becomes(text))
        for argument in arguments[first:]:
            plan.drop(argument)


def _first_argument(project: TrialProject, source: Source, above: ast.expr) -> int | None:
    """Where the arguments begin after ``self`` in a call of the class above, if it is one."""
    match above:
        case ast.Call(func=ast.Name(id="super")):
            return 0
    meant = project.calls.meaning(source, above)
    if source.names.qualified(above) in TRIAL_CLASSES or any(
        meant is node for _, node in project.line
    ):
        return 1
    return None


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
            {
                "base.py": "from pedl.frameworks.keras import TFKerasTrial\n\n\n"
                "class Base(TFKerasTrial):\n    def __init__(self, hparams):\n        self.n = 1\n",
                "model_def.py": "from base import Base\n\n\n"
                "class T(Base):\n    def __init__(self, hparams):\n"
                "        Base.__init__(self, hparams)\n        self.m = 1\n",
            },
            {
                "base.py": "from pedl.frameworks.keras import TFKerasTrial\n\n\n"
                "class Base(TFKerasTrial):\n"
                "    def __init__(self, context: TFKerasTrialContext):\n        self.n = 1\n",
                "model_def.py": "from base import Base\n\n\n"
                "class T(Base):\n    def __init__(self, context: TFKerasTrialContext):\n"
                "        self.context = context\n"
                "        Base.__init__(self, context)\n        self.m = 1\n",
            },
        ),
        Case(
            trial("def __init__(self, hparams=None):\n    self.units = 4\n"),
            trial(
                "def __init__(self, context: TFKerasTrialContext):\n"
                "    self.context = context\n"
                "    self.units = 4\n"
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
            trial("@property\ndef context(self):\n    return 1\n"),
            {},
            says="an attribute is called context already",
        ),
        Case(
            trial("def helper(self):\n    return self.context\n"),
            {},
            says="an attribute is called context already",
        ),
    ),
)
