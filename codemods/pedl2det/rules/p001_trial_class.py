"""A trial's constructor takes the context instead of the hyperparameters, and keeps it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.spelling import spell
from pedl2det.analysis.trial import Generation, Trial
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

ID = "P001"
NAME = "trial-class"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the constructors of the trial classes."""
    for owner in trial.classes:
        constructor = trial.flow.own_method(owner, "__init__")
        if constructor is not None:
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


def _rewritten(trial: Trial, owner: ast.ClassDef, function: ast.FunctionDef) -> Fix:
    """A constructor that takes the context, and hands it on to the one above."""
    source = trial.modules.home(owner)
    arguments = function.args
    first, *others = [*arguments.posonlyargs, *arguments.args]
    extra = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    name = trial.context.constructor_parameter(function)
    edits: list[Edit] = []
    imports: tuple[str, ...] = ()
    if trial.generation is Generation.PEDL:
        edits += [DropParameter(function, one) for one in (*others, *arguments.kwonlyargs, *extra)]
        annotation, imports = _annotation(trial, owner)
        edits.append(AddParameter(function, f"{name}: {annotation}"))
    above = list(_calls_above(trial, function))
    for call in above:
        is_explicit = bool(call.args) and ast.unparse(call.args[0]) == first.arg
        handed = f"{first.arg}, {name}" if is_explicit else name
        if ast.unparse(call.func).endswith("__init__"):
            edits.append(Replace(call, f"{ast.unparse(call.func)}({handed})"))
    if not any(trial.flow.called(call) for call in above):
        keeps = trial.generation is not Generation.PEDL and _keeps_context(trial, function, name)
        line = "" if keeps else f"{first.arg}.{trial.context.attribute} = {name}\n"
        head = _head(trial, function, above, name) if keeps else None
        edits.append(
            InsertAfter(head, CONSTRUCTOR)
            if head is not None
            else InsertFirst(function, f"{line}{CONSTRUCTOR}")
        )
    return Fix(ID, source, function, tuple(edits), imports=imports)


def _calls_above(trial: Trial, function: ast.FunctionDef) -> Iterable[ast.Call]:
    """The calls of constructors of base classes: ``super().__init__`` and ``Base.__init__``."""
    for node in trial.modules.home(function).names.below(function):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "__init__"
        ):
            yield node


def _head(
    trial: Trial, function: ast.FunctionDef, above: Iterable[ast.Call], name: str
) -> ast.stmt | None:
    """The last of the first statements, which call constructors above and keep the context."""
    calls, head = list(above), None
    for line in function.body[1:] if ast.get_docstring(function) else function.body:
        is_call = isinstance(line, ast.Expr) and line.value in calls
        if not is_call and not _is_keeping(trial, line, name):
            break
        head = line
    return head


def _keeps_context(trial: Trial, function: ast.FunctionDef, name: str) -> bool:
    return any(_is_keeping(trial, line, name) for line in function.body)


def _is_keeping(trial: Trial, line: ast.stmt, name: str) -> bool:
    return ast.unparse(line).endswith(f".{trial.context.attribute} = {name}")
