"""Make a trial's constructor take and keep the context instead of the hyperparameters.

Code that makes a trial itself, such as a test or a main guard, passes it a context:
``legacy_keras.local_context`` calls Determined's ``TFKerasTrialContext.from_config`` with the
hyperparameters that the code has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.flow.values import Function, by_position, first_parameter
from pedl2det.analysis.source import Spelling, spell
from pedl2det.analysis.trial import GIVEN_HPARAMS, TRIALS, Generation, Trial, key_of
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
    rewrite,
)

_ODD = "a constructor is called with more than the hyperparameters"
_TYPE = "TFKerasTrialContext"
_MAKES_ITSELF = "a trial is made by its own `__new__`, which takes the hyperparameters"
_MORE = "a trial is made with arguments other than the hyperparameters"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the constructors of the trial classes, and their calls outside of the harness."""
    for owner in trial.classes:
        constructor = trial.flow.own_method(owner, "__init__")
        new = trial.flow.own_method(owner, "__new__")
        if new is not None and trial.generation is Generation.PEDL:
            yield Remark(new, _MAKES_ITSELF)
        if constructor is None:
            if owner in trial.roots and trial.flow.method(owner, "__init__") is None:
                yield _add_constructor(trial, owner)
        elif _is_odd(trial, constructor):
            yield Remark(constructor, _ODD)
        else:
            yield _rewrite_constructor(trial, owner, constructor)
    for call in trial.modules.of(ast.Call) if trial.generation is Generation.PEDL else ():
        if _makes_trial(trial, call):
            yield _with_context(call)
        elif isinstance(call.func, ast.Attribute) and call.func.attr in GIVEN_HPARAMS[1:]:
            origins = trial.flow.origins(call.func.value)
            is_made = bool(origins) and all(_makes_trial(trial, origin.node) for origin in origins)
            if is_made or _asks_library(trial, call):
                arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
                yield Fix(call, tuple(Drop(argument) for argument in arguments))


def _type(trial: Trial, owner: ast.ClassDef) -> Spelling:
    """The type of the context, spelled like the base of the class."""
    base = next((node for node in owner.bases if trial.base_name(node)), None)
    like = ast.Attribute(base.value, _TYPE) if isinstance(base, ast.Attribute) else ast.Name(_TYPE)
    return spell(trial.modules.home(owner), f"determined.keras.{_TYPE}", like=like)


def _add_constructor(trial: Trial, owner: ast.ClassDef) -> Fix:
    written = _type(trial, owner)
    code = (
        f"def __init__(self, context: {written.code}) -> None:\n"
        f"    self.{trial.context.attribute} = context\n"
        f"    {CONSTRUCTOR}\n"
    )
    return Fix(owner, (AddMember(owner, code, first=True),), written.imports)


def _rewrite_constructor(trial: Trial, owner: ast.ClassDef, function: Function) -> Fix:
    """Make a constructor take the context, and pass it to the base class's constructor.

    Parameters after the hyperparameters stay, for subclasses that set them.
    """
    arguments = function.args
    name = trial.context.constructor_parameter(function)
    calls = _calls_above(trial, function)
    edits: list[Edit] = []
    imports: tuple[str, ...] = ()
    if trial.generation is Generation.PEDL:
        written = _type(trial, owner)
        imports = written.imports
        hparams = by_position(function)[1:2]
        extra = [*filter(None, (arguments.vararg, arguments.kwarg))]
        above = {node for call in calls for node in ast.walk(call)}
        # P003 handles the others.
        extra = [rest for rest in extra if above.issuperset(trial.flow.reads_of(rest))]
        edits += [Drop(parameter) for parameter in (*hparams, *extra)]
        edits.append(AddParameter(function, f"{name}: {written.code}"))
    for call in calls:
        first = f"{first_parameter(function)}, " if _is_explicit(call, function) else ""
        edits.append(Replace(call, f"{ast.unparse(call.func)}({first}{name})"))
    if not any(trial.flow.called(call) for call in calls):
        edits.append(_insert_statements(trial, function, name, calls))
    return Fix(function, tuple(edits), imports)


def _insert_statements(trial: Trial, function: Function, name: str, calls: list[ast.Call]) -> Edit:
    """Insert the new statements of a constructor, after those that already keep the context."""
    keeping = f".{trial.context.attribute} = {name}"
    head = None
    for line in function.body[1:] if ast.get_docstring(function) else function.body:
        keeps = ast.unparse(line).endswith(keeping)
        if not keeps and not (isinstance(line, ast.Expr) and line.value in calls):
            break
        head = line
    is_kept = any(ast.unparse(line).endswith(keeping) for line in function.body)
    if trial.generation is Generation.PEDL or not is_kept:
        return InsertFirst(function, f"{first_parameter(function)}{keeping}\n{CONSTRUCTOR}")
    return InsertAfter(head, CONSTRUCTOR) if head else InsertFirst(function, CONSTRUCTOR)


def _is_explicit(call: ast.Call, function: Function) -> bool:
    """Whether a call is ``Base.__init__(self, ...)``."""
    return bool(call.args) and ast.unparse(call.args[0]) == first_parameter(function)


def _is_odd(trial: Trial, function: Function) -> bool:
    """Whether a constructor passes more than the hyperparameters to that of a base class."""
    calls = filter(trial.flow.called, _calls_above(trial, function))
    return any(
        len(call.args) + len(call.keywords) > 1 + _is_explicit(call, function) for call in calls
    )


def _calls_above(trial: Trial, function: Function) -> list[ast.Call]:
    """The calls of constructors of base classes: ``super().__init__`` and ``Base.__init__``."""
    names = trial.modules.home(function).names
    return [
        node
        for node in names.below(function)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "__init__"
        if names.class_around(node) is names.class_around(function)  # not in a nested class
        if isinstance(node.func, ast.Attribute)  # and not of a library's class, as a `Callback`
        if trial.modules.meaning(node.func.value) in (None, *TRIALS)
        or not trial.modules.is_of_library(node.func.value)
    ]


def _makes_trial(trial: Trial, node: ast.AST) -> bool:
    """Whether a call makes an instance of a trial class."""
    origins = trial.flow.origins(node.func) if isinstance(node, ast.Call) else []
    return bool(origins) and all(
        origin.node in trial.classes and not origin.path and isinstance(origin.node, ast.ClassDef)
        for origin in origins
    )


def _asks_library(trial: Trial, call: ast.Call) -> bool:
    """Whether a trial calls a method of ``super()`` that no class of the project defines."""
    owner = trial.modules.home(call).names.class_around(call)
    above = getattr(call.func, "value", None)
    is_super = isinstance(above, ast.Call) and getattr(above.func, "id", "") == "super"
    return is_super and owner in trial.classes and not trial.flow.called(call)


def _with_context(call: ast.Call) -> Fix | Remark:
    """``Net(hparams)`` becomes ``Net(legacy_keras.local_context(hparams))``."""
    hparams = key_of(call)
    if hparams is None:
        return Remark(call, _MORE)
    code = "{trial}(legacy_keras.local_context({hparams}))"
    return rewrite(call, code, {"trial": call.func, "hparams": hparams})


EXAMPLE = """\
--- net.py
- from pedl.frameworks.keras import TFKerasTrial
+ from determined.keras import TFKerasTrial, TFKerasTrialContext


  class Net(TFKerasTrial):
-     def __init__(self, hparams):
-         super().__init__(hparams)
-         self.width = hparams["width"]
+     def __init__(self, context: TFKerasTrialContext):
+         self.context = context
+         context.configure_fit(shuffle=False)
+         super().__init__(context)
+         self.width = context.get_hparam("width")
"""
