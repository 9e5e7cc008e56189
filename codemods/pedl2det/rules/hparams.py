"""P003: hyperparameters come from the context instead of an argument."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det import where
from pedl2det.edits import becomes, into_body, method_of
from pedl2det.plan import Plan
from pedl2det.project import TrialProject
from pedl2det.rules.rule import Case, Rule, Safety, trial
from pedl2det.source import Source

_MUTATORS = {"update", "pop", "popitem", "setdefault", "clear"}


def plan(project: TrialProject, plan: Plan) -> None:
    """Rewrite every method that was given ``hparams``, and ``make_data_loaders``."""
    source, _ = project.trial
    functions = [
        (source, method)
        for name, method in where.methods(project).items()
        if name in (*where.WITH_HPARAMS, "__init__")
    ]
    if project.loader is not None:
        functions.append(project.loader)
    for owner, function in functions:
        name = where.hparams_of(project, owner, function)
        context = where.context_in(project, owner, function)
        if name is None or context is None:
            continue
        _plan_uses(plan, owner, function, name, context)
        if function.name in where.WITH_HPARAMS:
            _plan_parameter(plan, owner, function)


def _plan_parameter(plan: Plan, source: Source, function: ast.FunctionDef) -> None:
    def without_second(updated: Any) -> Any:
        (first, _, *others) = updated.params.params
        first = first.with_changes(comma=cst.MaybeSentinel.DEFAULT) if not others else first
        return updated.with_changes(params=updated.params.with_changes(params=[first, *others]))

    plan.definition(RULE.id, source, function, without_second)
    annotation = function.args.args[1].annotation
    if annotation is not None:
        plan.drop(annotation)


def _plan_uses(
    plan: Plan, source: Source, function: ast.FunctionDef, name: str, context: str
) -> None:
    uses = [use for use in where.uses_of(source, function, name) if not plan.is_dropped(use)]
    for use in uses:
        if _is_changed(source, use):
            message = f"{name} is changed here, and other methods would see the change"
            plan.refuse(RULE.id, source, use, message)
            return
    keyed = [where.constant_key(source, use) for use in uses]
    if all(keyed) and not _catches_key_error(function):
        for use, found in zip(uses, keyed, strict=True):
            assert found is not None
            _plan_key(plan, source, use, found[0], found[1], context)
    elif uses:
        for use in uses:
            if _is_changed_elsewhere(plan.project, source, use):
                message = f"{name} is handed on to code that changes it"
                plan.refuse(RULE.id, source, use, message)
        # Whatever is done with the dict, it gets what the old harness put into it.
        lines = (
            f"{name} = {{**{context}.get_hparams(), "
            f'"batch_size": {context}.get_per_slot_batch_size()}}\n'
            f'del {name}["global_batch_size"]\n'
        )
        plan.definition(RULE.id, source, function, into_body(lines))


def _plan_key(
    plan: Plan, source: Source, use: ast.Name, whole: ast.expr, key: str, context: str
) -> None:
    if key == "batch_size":
        text = f"{context}.get_per_slot_batch_size()"
        plan.expression(RULE.id, source, whole, becomes(text))
    elif isinstance(whole, ast.Subscript):
        plan.expression(
            RULE.id,
            source,
            whole,
            lambda updated: method_of(context, "get_hparam", updated.slice[0].slice.value),
        )
    else:
        text = f"{context}.get_hparams()"
        plan.expression(RULE.id, source, use, becomes(text))


def _is_changed(source: Source, use: ast.Name | ast.Attribute) -> bool:
    """Whether the dict that an expression means is bound anew or changed where it stands."""
    if not isinstance(use.ctx, ast.Load):
        return True
    match source.names.parents[use]:
        case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
            return value is use
        case ast.Attribute(value=value, attr=attribute):
            return value is use and attribute in _MUTATORS
    return False


def _is_changed_elsewhere(project: TrialProject, source: Source, use: ast.Name) -> bool:
    """Whether the dict is kept under another name, or given to a function, that changes it."""
    parent = source.names.parents[use]
    if isinstance(parent, ast.Assign):
        kept = {ast.unparse(target) for target in parent.targets}
        return any(
            isinstance(node, ast.Name | ast.Attribute)
            and isinstance(node.ctx, ast.Load)
            and ast.unparse(node) in kept
            and _is_changed(source, node)
            for node in source.names.nodes
        )
    if isinstance(parent, ast.Call) and use in parent.args:
        called = parent.func.attr if isinstance(parent.func, ast.Attribute) else parent.func
        name = called.id if isinstance(called, ast.Name) else called
        return any(
            _changes_a_parameter(other, node)
            for other in project.sources.values()
            for node in other.names.nodes
            if isinstance(node, ast.FunctionDef) and node.name == name
        )
    return False


def _changes_a_parameter(source: Source, function: ast.FunctionDef) -> bool:
    return any(
        isinstance(use.ctx, ast.Load) and _is_changed(source, use)
        for argument in function.args.args
        for use in where.uses_of(source, function, argument.arg)
    )


def _catches_key_error(function: ast.FunctionDef) -> bool:
    """A missing key raises another error from the context: code that expects it keeps a dict."""
    return any(
        isinstance(node, ast.ExceptHandler)
        and any(isinstance(part, ast.Name) and part.id == "KeyError" for part in ast.walk(node))
        for node in ast.walk(function)
    )


RULE = Rule(
    id="P003",
    name="hparams",
    doc="Methods that were given the hyperparameters ask the context for them; batch_size, which "
    "the old harness divided by the number of slots, becomes get_per_slot_batch_size().",
    safety=Safety.SAFE,
    plan=plan,
    cases=(
        Case(
            trial(
                "def build_model(self, hparams):\n"
                '    units = hparams["units"]\n'
                '    rate = hparams.get("rate", 0.1)\n'
                '    return units, rate, hparams["batch_size"]\n'
            ),
            trial(
                "def build_model(self):\n"
                '    units = self.context.get_hparam("units")\n'
                '    rate = self.context.get_hparams().get("rate", 0.1)\n'
                "    return units, rate, self.context.get_per_slot_batch_size()\n"
            ),
        ),
        Case(
            trial(
                'def build_model(self, hparams):\n    """Build it."""\n    return make(**hparams)\n'
            ),
            trial(
                "def build_model(self):\n"
                '    """Build it."""\n'
                "    hparams = {**self.context.get_hparams(), "
                '"batch_size": self.context.get_per_slot_batch_size()}\n'
                '    del hparams["global_batch_size"]\n'
                "    return make(**hparams)\n"
            ),
        ),
        Case(
            trial("def build_model(self, hparams):\n    return [lambda hparams: hparams['a']]\n"),
            trial("def build_model(self):\n    return [lambda hparams: hparams['a']]\n"),
        ),
        Case(
            trial(
                "def __init__(self, hparams):\n    self.hp = hparams\n\n"
                "def helper(self):\n    self.hp['a'] = 1\n"
            ),
            {},
            says="hparams is handed on to code that changes it",
        ),
        Case(
            trial("def build_model(self, hparams):\n    return fill(hparams)\n")
            | {"filling.py": "def fill(hp):\n    hp.setdefault('a', 1)\n    return hp\n"},
            {},
            says="hparams is handed on to code that changes it",
        ),
        Case(
            trial('def helper(self, hparams):\n    return hparams["units"]\n'),
            {},
        ),
        Case(
            trial('def build_model(self, hparams):\n    hparams["units"] = 4\n'),
            {},
            says="hparams is changed here",
        ),
    ),
)
