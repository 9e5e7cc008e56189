"""A trial's constructor takes the context instead of the hyperparameters, and keeps it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.flow import Function, by_position
from pedl2det.analysis.spelling import spell
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import (
    CONSTRUCTOR,
    AddMember,
    AddParameter,
    Drop,
    Edit,
    Fix,
    InsertAfter,
    InsertFirst,
    Remark,
    Replace,
)
from pedl2det.rules.cases import Case, Files, pedl_trial
from pedl2det.rules.small_trials import LOADER_METHODS

ID = "P001"
NAME = "trial-class"

_DECORATED = "a decorator of __init__ is called with the hyperparameters"
_MORE = "a constructor of the trial gets more than the hyperparameters"
_SET = "set what it needs on the trial before"
_UNDECORATED = "def __init__(self, context): ..."


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the constructors of the trial classes."""
    for owner in trial.classes:
        home = trial.modules.home(owner)
        constructor = trial.flow.own_method(owner, "__init__")
        if constructor is None:
            if owner in trial.roots and trial.flow.method(owner, "__init__") is None:
                yield _added(trial, owner)
        elif trial.generation is Generation.PEDL and trial.context.is_behind_decorator(constructor):
            yield Remark(ID, home, constructor, Kind.LEFT, _DECORATED, _UNDECORATED)
        elif (call := _hands_more(trial, constructor)) is not None:
            yield Remark(ID, home, call, Kind.LEFT, _MORE, _SET)
        else:
            yield _rewritten(trial, owner, constructor)


def _annotation(trial: Trial, owner: ast.ClassDef) -> tuple[str, tuple[str, ...]]:
    """How the context's type is written in the class's file, and the import for it."""
    base = next((one for one in owner.bases if trial.base_name(one)), None)
    if isinstance(base, ast.Name):
        return "TFKerasTrialContext", ("from determined.keras import TFKerasTrialContext",)
    like = (
        ast.Attribute(base.value, "TFKerasTrialContext")
        if isinstance(base, ast.Attribute)
        else None
    )
    found = spell(trial.modules.home(owner), "determined.keras.TFKerasTrialContext", like=like)
    return found.code, found.imports


def _added(trial: Trial, owner: ast.ClassDef) -> Fix:
    annotation, imports = _annotation(trial, owner)
    code = (
        f"def __init__(self, context: {annotation}) -> None:\n"
        f"    self.{trial.context.attribute} = context\n"
        f"    {CONSTRUCTOR}\n"
    )
    source = trial.modules.home(owner)
    return Fix(ID, source, owner, (AddMember(owner, code, first=True),), imports=imports)


def _rewritten(trial: Trial, owner: ast.ClassDef, function: Function) -> Fix:
    """A constructor that takes the context, and hands it on to the one above.

    Its parameters behind the hyperparameters stay, for the classes below that set them.
    """
    source, arguments = trial.modules.home(owner), function.args
    name = trial.context.constructor_parameter(function)
    calls = _calls_above(trial, function)
    edits: list[Edit] = []
    imports: tuple[str, ...] = ()
    is_old = trial.generation is Generation.PEDL
    if is_old:
        hparams = by_position(function)[1:2]
        extra = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
        above = {node for call in calls for node in ast.walk(call)}
        extra = [one for one in extra if above.issuperset(trial.flow.reads_of(one))]  # or P003
        annotation, imports = _annotation(trial, owner)
        edits += [Drop(one) for one in (*hparams, *extra)]
        edits.append(AddParameter(function, f"{name}: {annotation}"))
    for call in calls:
        first = f"{_first(function)}, " if _is_explicit(call, function) else ""
        edits.append(Replace(call, f"{ast.unparse(call.func)}({first}{name})"))
    if not any(trial.flow.called(call) for call in calls):
        edits.append(_constructor(trial, function, name, calls))
    return Fix(ID, source, function, tuple(edits), imports=imports)


def _constructor(trial: Trial, function: Function, name: str, calls: list[ast.Call]) -> Edit:
    """The statements of the constructor, behind those that keep the context already."""
    keeping = f".{trial.context.attribute} = {name}"
    head = None
    for line in function.body[1:] if ast.get_docstring(function) else function.body:
        keeps = ast.unparse(line).endswith(keeping)
        if not keeps and not (isinstance(line, ast.Expr) and line.value in calls):
            break
        head = line
    if trial.generation is Generation.PEDL or not any(
        ast.unparse(line).endswith(keeping) for line in function.body
    ):
        return InsertFirst(function, f"{_first(function)}{keeping}\n{CONSTRUCTOR}")
    return InsertAfter(head, CONSTRUCTOR) if head else InsertFirst(function, CONSTRUCTOR)


def _first(function: Function) -> str:
    return by_position(function)[0].arg


def _is_explicit(call: ast.Call, function: Function) -> bool:
    """Whether a call is ``Base.__init__(self, ...)``."""
    return bool(call.args) and ast.unparse(call.args[0]) == _first(function)


def _hands_more(trial: Trial, function: Function) -> ast.Call | None:
    """A call of a constructor of the project that gives it more than the hyperparameters."""
    for call in _calls_above(trial, function):
        count = len(call.args) + len(call.keywords) - _is_explicit(call, function)
        if trial.flow.called(call) and count > 1:
            return call
    return None


def _calls_above(trial: Trial, function: Function) -> list[ast.Call]:
    """The calls of constructors of base classes: ``super().__init__`` and ``Base.__init__``."""
    return [
        node
        for node in trial.modules.home(function).names.below(function)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "__init__"
    ]


_OLD_IMPORT = "from pedl.frameworks.keras import TFKerasTrial\n"
_IMPORTS = """\
from functools import cached_property

from determined.keras import TFKerasTrial, TFKerasTrialContext

from data import make_data_loaders
"""
_LOADERS = "\n" + LOADER_METHODS.replace("TRAINING", "training").replace("VALIDATION", "validation")
_KEEP = """\
        self.context = context
        context.configure_fit(shuffle=False)
"""

_NONE = '''

class Trial(TFKerasTrial):
    """One layer."""

    width = 4
'''
_NONE_AFTER = f"""{_NONE}
    def __init__(self, context: TFKerasTrialContext) -> None:
{_KEEP}"""
_TWO = """

class Base(TFKerasTrial):
    def __init__(self, hparams, scale=1):
        TFKerasTrial.__init__(self, hparams)
        self.width = scale * hparams["width"]


class Trial(Base):
    def __init__(self, hparams):
        super().__init__(hparams)
"""
_TWO_AFTER = f"""

class Base(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext, scale=1):
{_KEEP}\
        TFKerasTrial.__init__(self, context)
        self.width = scale * context.get_hparam("width")
{_LOADERS}

class Trial(Base):
    def __init__(self, context: TFKerasTrialContext):
        super().__init__(context)
"""
_MIGRATED = """\
from determined.keras import TFKerasTrial, TFKerasTrialContext


class Trial(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
"""


def _trial(code: str) -> Files:
    return {"model_def.py": _OLD_IMPORT + code, "data.py": pedl_trial("")["data.py"]}


CASES = (
    Case(_trial(_NONE), {"model_def.py": _IMPORTS + _NONE_AFTER + _LOADERS}),
    Case(_trial(_TWO), {"model_def.py": _IMPORTS + _TWO_AFTER}),
    Case(
        _trial(_TWO.replace("(hparams)\n", "(hparams, scale=2)\n")),
        {},
        "carried over as it was: a constructor of the trial gets more",
    ),
    Case(
        _trial(
            _TWO.replace(
                "    def __init__(self, hparams):", "    @logged\n    def __init__(self, hparams):"
            )
        ),
        {},
        "carried over as it was: a decorator of __init__ is called",
    ),
    Case({"model_def.py": _MIGRATED}, {"model_def.py": _MIGRATED}),
)
