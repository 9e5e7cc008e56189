"""A trial's constructor takes the context instead of the hyperparameters, and keeps it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from pedl2det.analysis.flow import Function, by_position
from pedl2det.analysis.spelling import spell
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import (
    CONSTRUCTOR,
    AddMember,
    AddParameter,
    DropParameter,
    Edit,
    Fix,
    InsertAfter,
    InsertFirst,
    Remark,
    Replace,
)
from pedl2det.rules import cases_trial_class

ID = "P001"
NAME = "trial-class"

_DECORATED = "a decorator of __init__ is called with the hyperparameters"
_MORE = "a constructor of the trial gets more than the hyperparameters"
_SET = "set what it needs on the trial before"
_UNDECORATED = "def __init__(self, context): ..."


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the constructors of the trial classes."""
    for owner in trial.classes:
        constructor = trial.flow.own_method(owner, "__init__")
        is_pedl = trial.generation is Generation.PEDL
        if constructor is not None and is_pedl and trial.context.is_behind_decorator(constructor):
            home = trial.modules.home(owner)
            yield Remark(ID, home, constructor, Kind.LEFT, _DECORATED, _UNDECORATED)
        elif constructor is not None and (call := _hands_more(trial, constructor)) is not None:
            yield Remark(ID, trial.modules.home(call), call, Kind.LEFT, _MORE, _SET)
        elif constructor is not None:
            yield _rewritten(trial, owner, constructor)
        elif owner in trial.roots and not _inherits_one(trial, owner):
            yield _added(trial, owner)


def _inherits_one(trial: Trial, owner: ast.ClassDef) -> bool:
    return trial.flow.method(owner, "__init__") is not None


def _annotation(trial: Trial, owner: ast.ClassDef) -> tuple[str, tuple[str, ...]]:
    """How the context's type is written in the class's file, and the import for it."""
    source = trial.modules.home(owner)
    base = next((one for one in owner.bases if trial.base_name(one)), None)
    like = (
        ast.Attribute(base.value, "TFKerasTrialContext")
        if isinstance(base, ast.Attribute)
        else base
    )
    found = spell(source, "determined.keras.TFKerasTrialContext", like=like)
    code, imports = found.code, found.imports
    if isinstance(base, ast.Name):
        code = "TFKerasTrialContext"
        imports = ("from determined.keras import TFKerasTrialContext",)
    return code, imports


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
    source = trial.modules.home(owner)
    arguments = function.args
    name = trial.context.constructor_parameter(function)
    edits: list[Edit] = []
    imports: tuple[str, ...] = ()
    if trial.generation is Generation.PEDL:
        hparams = by_position(function)[1:2]
        extra = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
        above = {node for call in _calls_above(trial, function) for node in ast.walk(call)}
        extra = [one for one in extra if above.issuperset(trial.flow.reads_of(one))]  # or P003
        edits += [DropParameter(function, one) for one in (*hparams, *extra)]
        annotation, imports = _annotation(trial, owner)
        edits.append(AddParameter(function, f"{name}: {annotation}"))
    edits += _with_context_above(trial, function, name)
    if not any(trial.flow.called(call) for call in _calls_above(trial, function)):
        keeps = trial.generation is not Generation.PEDL and _keeps_context(trial, function, name)
        line = "" if keeps else f"{_first(function)}.{trial.context.attribute} = {name}\n"
        head = _head(trial, function, name) if keeps else None
        edits.append(
            InsertAfter(head, CONSTRUCTOR)
            if head is not None
            else InsertFirst(function, f"{line}{CONSTRUCTOR}")
        )
    return Fix(ID, source, function, tuple(edits), imports=imports)


def _first(function: Function) -> str:
    return by_position(function)[0].arg


def _with_context_above(trial: Trial, function: Function, context: str) -> Iterator[Edit]:
    """The calls of the constructors above with the context in place of the hyperparameters."""
    for call in _calls_above(trial, function):
        code = f"{_first(function)}, {context}" if _is_explicit(call, function) else context
        yield Replace(call, f"{ast.unparse(call.func)}({code})")


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


def _calls_above(trial: Trial, function: Function) -> Iterable[ast.Call]:
    """The calls of constructors of base classes: ``super().__init__`` and ``Base.__init__``."""
    for node in trial.modules.home(function).names.below(function):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "__init__"
        ):
            yield node


def _head(trial: Trial, function: Function, name: str) -> ast.stmt | None:
    """The last of the first statements, which call constructors above and keep the context."""
    calls, head = list(_calls_above(trial, function)), None
    for line in function.body[1:] if ast.get_docstring(function) else function.body:
        is_call = isinstance(line, ast.Expr) and line.value in calls
        if not is_call and not _is_keeping(trial, line, name):
            break
        head = line
    return head


def _keeps_context(trial: Trial, function: Function, name: str) -> bool:
    return any(_is_keeping(trial, line, name) for line in function.body)


def _is_keeping(trial: Trial, line: ast.stmt, name: str) -> bool:
    return ast.unparse(line).endswith(f".{trial.context.attribute} = {name}")


CASES = cases_trial_class.CASES
