"""P003: hyperparameters come from the context instead of an argument."""

from __future__ import annotations

import ast
from typing import Any

from pedl2det.edit.making import becomes, into_body, method_of
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.flow import where
from pedl2det.flow.changed_dicts import is_changed_elsewhere
from pedl2det.flow.dicts import is_only_read
from pedl2det.plan import Plan
from pedl2det.rules.rule import Case, Rule, Safety, trial


def plan(project: TrialProject, plan: Plan) -> None:
    """Rewrite every method and function that was given ``hparams``."""
    functions = [
        (source, method)
        for source, method in where.all_methods(project)
        if method.name in (*where.WITH_HPARAMS, "__init__")
    ]
    functions += project.entries
    for owner, function in functions:
        name = where.hparams_of(project, owner, function)
        context = where.context_in(project, owner, function)
        if name is None or context is None:
            continue
        _check_hidden(plan, owner, function, name)
        _plan_uses(plan, owner, function, name, context)
        if function.name in where.WITH_HPARAMS:
            _plan_parameter(plan, owner, function)


def _check_hidden(plan: Plan, source: Source, function: ast.FunctionDef, name: str) -> None:
    """Refuse what may mean an argument without saying its name."""
    for node in source.names.below(function):
        match node:
            case ast.Call(func=ast.Name(id="eval" | "exec" | "locals") as called):
                pass
            case ast.Call(func=ast.Name(id="vars" | "dir") as called, args=[]):
                pass
            case _:
                continue
        if source.names.binder(called) is None:
            message = f"{called.id}() may mean {name} here, which is no argument any more"
            plan.refuse(RULE.id, source, node, message)


def _plan_parameter(plan: Plan, source: Source, function: ast.FunctionDef) -> None:
    def without_second(updated: Any) -> Any:
        (first, second, *others) = updated.params.params
        if not others:
            end = second.whitespace_after_param
            first = first.with_changes(comma=second.comma, whitespace_after_param=end)
        return updated.with_changes(params=updated.params.with_changes(params=[first, *others]))

    plan.definition(RULE.id, source, function, without_second)
    annotation = function.args.args[1].annotation
    if annotation is not None:
        plan.drop(annotation)


def _plan_uses(
    plan: Plan, source: Source, function: ast.FunctionDef, name: str, context: str
) -> None:
    uses = [use for use in where.uses_of(source, function, name) if not plan.is_dropped(use)]
    if _is_copied_first(source, function, uses):
        _plan_dict(plan, source, function, name, context)
        return
    for use in uses:
        if where.is_changed(source, use):
            message = f"{name} is changed here, and other methods would see the change"
            plan.refuse(RULE.id, source, use, message)
            return
    keyed = [where.constant_key(source, use) for use in uses]
    is_reached = all(where.is_reached(source, use, function) for use in uses)
    if _is_in_a_class(source, function, name):
        is_reached, uses = False, uses or [ast.Name(id=name)]
    if all(keyed) and is_reached and not where.catches_key_error(source, function):
        for use, found in zip(uses, keyed, strict=True):
            assert found is not None
            _plan_key(plan, source, use, found[0], found[1], context)
    elif uses:
        is_read = not _is_in_a_class(source, function, name) and is_only_read(
            plan.project, source, function, name
        )
        changed = None if is_read else is_changed_elsewhere(plan.project)
        if changed is not None:
            message = f"{name} is handed on in {function.name}, and may be changed here"
            plan.refuse(RULE.id, *changed, message)
        _plan_dict(plan, source, function, name, context)


def _plan_dict(
    plan: Plan, source: Source, function: ast.FunctionDef, name: str, context: str
) -> None:
    """Whatever is done with the dict, it gets what the old harness put into it."""
    lines = (
        f"{name} = {{**{context}.get_hparams(), "
        f'"batch_size": {context}.get_per_slot_batch_size()}}\n'
        f'{name}.pop("global_batch_size", None)\n'
    )
    plan.definition(RULE.id, source, function, into_body(lines))


def _is_copied_first(source: Source, function: ast.FunctionDef, uses: list[ast.Name]) -> bool:
    """Whether a function begins with ``hparams = dict(hparams)``: what it changes is its own."""
    skipped = 1 if ast.get_docstring(function, clean=False) is not None else 0
    match function.body[skipped : skipped + 1]:
        case [ast.Assign(targets=[ast.Name() as target], value=value)] if target in uses:
            pass
        case _:
            return False
    match value:
        case ast.Call(func=ast.Name(id="dict") as called, args=[ast.Name() as copied], keywords=[]):
            return copied in uses and source.names.binder(called) is None
        case ast.Call(func=ast.Attribute(value=ast.Name() as copied, attr="copy"), args=[]):
            return copied in uses
        case ast.Dict(keys=[None, *_], values=[ast.Name() as copied, *others]):
            return copied in uses and not any(isinstance(one, ast.Name) for one in others)
    return False


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


def _is_in_a_class(source: Source, function: ast.FunctionDef, name: str) -> bool:
    """Whether a class within a function binds the name anew from itself, or uses it there."""
    return any(
        isinstance(node, ast.Name) and node.id == name
        for inner in source.names.below(function)
        if isinstance(inner, ast.ClassDef)
        for node in source.names.below(inner)
    )


_DICT = (
    "hparams = {**self.context.get_hparams(), "
    '"batch_size": self.context.get_per_slot_batch_size()}\n'
    '    hparams.pop("global_batch_size", None)\n'
)


def _own_case(body: str) -> Case:
    """A method that works on a copy of its own."""
    before = trial(f"def build_model(self, hparams):\n    {body}")
    return Case(before, trial(f"def build_model(self):\n    {_DICT}    {body}"))


def _kept_case(does: str, is_changed: bool = False) -> Case:
    """A trial that keeps its hyperparameters, and what it does then."""
    asks = 'def helper(self, hp):\n    return hp.get("drop", 0.1)\n'
    keeps = f"    self.hp = hparams\n    {does}\n\n{asks}"
    if is_changed:
        says = "hparams is handed on in"
        return Case(trial(f"def build_model(self, hparams):\n{keeps}"), {}, says=says)
    before = trial(f"def build_model(self, hparams):\n{keeps}")
    return Case(before, trial(f"def build_model(self):\n    {_DICT}{keeps}"))


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
                '    hparams.pop("global_batch_size", None)\n'
                "    return make(**hparams)\n"
            ),
        ),
        Case(
            trial("def build_model(self, hparams):\n    return [lambda hparams: hparams['a']]\n"),
            trial("def build_model(self):\n    return [lambda hparams: hparams['a']]\n"),
        ),
        Case(
            trial(
                "def build_model(self, hparams):\n"
                "    def block(n, hparams=hparams):\n"
                "        return hparams['a']\n"
                "    return block\n"
            ),
            trial(
                "def build_model(self):\n"
                "    hparams = {**self.context.get_hparams(), "
                '"batch_size": self.context.get_per_slot_batch_size()}\n'
                '    hparams.pop("global_batch_size", None)\n'
                "    def block(n, hparams=hparams):\n"
                "        return hparams['a']\n"
                "    return block\n"
            ),
        ),
        Case(
            trial(
                "def __init__(self, hparams):\n    self.hp = hparams\n\n"
                "def helper(self):\n    self.hp['a'] = self.hp['a'] + 1\n"
            ),
            {},
            says="hparams is handed on in",
        ),
        _kept_case('self.hp["drop"] = 0.5', is_changed=True),
        _kept_case("for key in given:\n        self.hp[key] = 1", is_changed=True),
        _kept_case('self.hp |= {"drop": 0.5}', is_changed=True),
        _own_case("hparams = dict(hparams)\n    hparams['a'] = 1\n    return make(hparams)\n"),
        _own_case("hparams = hparams.copy()\n    hparams.update(a=1)\n    return hparams\n"),
        _own_case('hparams = {**hparams, "a": 1}\n    return hparams["a"]\n'),
        Case(
            trial("def build_model(self, hparams):\n    hparams = wrap(hparams)\n"),
            {},
            says="hparams is changed here",
        ),
        _kept_case("global HP\n    HP |= given", is_changed=True),
        _kept_case("own = {}\n    for key in given:\n        own[key] = 1"),
        _kept_case("own = dict(given)\n    own |= given\n    own[given[0]] = 1"),
        _kept_case("self.__dict__.update(given)"),
        Case(
            trial(
                "def build_model(self, hparams):\n"
                "    return make(self.size(hparams), df.pop(x))\n\n"
                "def size(self, hp):\n    return hp['size'] + len(hp)\n"
            ),
            trial(
                "def build_model(self):\n"
                "    hparams = {**self.context.get_hparams(), "
                '"batch_size": self.context.get_per_slot_batch_size()}\n'
                '    hparams.pop("global_batch_size", None)\n'
                "    return make(self.size(hparams), df.pop(x))\n\n"
                "def size(self, hp):\n    return hp['size'] + len(hp)\n"
            ),
        ),
        Case(
            trial("def build_model(self, hparams):\n    return fill(hparams)['a']\n")
            | {"filling.py": "def fill(hp):\n    hp.setdefault('a', 1)\n    return hp\n"},
            {},
            says="hparams is handed on in",
        ),
        Case(
            trial('def build_model(self, hparams):\n    return(hparams["batch_size"])\n'),
            trial("def build_model(self):\n    return(self.context.get_per_slot_batch_size())\n"),
        ),
        Case(
            trial('def helper(self, hparams):\n    return hparams["units"]\n'),
            {},
        ),
        Case(
            trial("def build_model(self, hparams):\n    return make(**locals())\n"),
            {},
            says="locals() may mean hparams here",
        ),
        Case(
            trial('def build_model(self, hparams):\n    hparams["units"] = 4\n'),
            {},
            says="hparams is changed here",
        ),
    ),
)
