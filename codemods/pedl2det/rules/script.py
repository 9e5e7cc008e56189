"""P017: a script that fits its own model becomes a trial."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det.edit import making
from pedl2det.facts.project import TrialProject
from pedl2det.findings import Unclear
from pedl2det.flow.branches import always_compiles, exclude_each_other
from pedl2det.plan import Plan
from pedl2det.plan.constructor import CONTEXT_CLASS
from pedl2det.plan.script_moves import Moves
from pedl2det.plan.script_trial import TrialClass, dropped, needs
from pedl2det.rules import wrap_model
from pedl2det.rules.rule import SCRIPTS, Rule, Safety
from pedl2det.rules.script_cases import CASES
from pedl2det.script.context import context_in, given_context, maker_of
from pedl2det.script.fit_call import fit_call
from pedl2det.script.naming import class_name
from pedl2det.script.parts import Parts, parts_of
from pedl2det.script.scopes import check
from pedl2det.script.walk import bound_names, own_nodes


def plan(project: TrialProject, plan: Plan) -> None:
    """Make a trial of the script that the configs name."""
    source = project.script
    if source is None:
        return
    try:
        parts = parts_of(source)
        check(project, parts)
        trial = TrialClass(class_name(project, source), parts, fit_call(parts))
        _plan_wrapping(project, plan, parts)
        _plan_trial(plan, trial)
    except Unclear as error:
        plan.refuse(RULE.id, source, error.node, str(error))
        for found in project.occurrences:  # one reason is enough
            plan.claim(found.node)


def _plan_trial(plan: Plan, trial: TrialClass) -> None:
    parts = trial.parts
    trial.carried  # noqa: B018 - raises where a name is taken
    for statement in needs(parts):
        plan.require(parts.source, statement)
    for value in dropped(parts, trial.fit):
        plan.drop(value)
    _plan_functions(plan, parts)
    moves = Moves(parts)
    moves.plan(plan, RULE.id)
    plan.file(parts.source).module(trial.appended(moves))
    if parts.after:
        first = parts.after[0]
        message = "what the script did after fit is done when the training ends, by a callback"
        plan.note(RULE.id, parts.source, first, message)


def _plan_wrapping(project: TrialProject, plan: Plan, parts: Parts) -> None:
    """Wrap the model where it is compiled: in the script, or in the function that makes it."""
    maker = maker_of(parts)
    if maker is not None:
        bound = [node for node in own_nodes(parts.before) if _binds(node, parts.model.id)]
        if len(bound) > 1:
            raise Unclear(bound[1], f"{parts.model.id} is bound more than once")
        wrap_model.plan_function(project, plan, parts.source, maker)
        return
    model = parts.model.id
    compiles = [
        node
        for node in own_nodes(parts.before)
        if isinstance(node, ast.Expr) and _is_compile(node.value, model)
    ]
    if always_compiles(parts.before, compiles) is not True:
        raise Unclear(parts.fit, f"{model} is not always compiled by this name before fit")
    _check_binding(parts, compiles)
    for statement in compiles:
        wrap_model.plan_compile(plan, parts.source, parts.scope, statement, (model,))


def _check_binding(parts: Parts, compiles: list[ast.Expr]) -> None:
    """The names that are bound anew before ``compile`` must be the constructor's own."""
    bound = bound_names(parts.before)
    for node in own_nodes(parts.before):
        is_later = isinstance(node, ast.Name) and node.lineno > compiles[0].lineno
        if is_later and _binds(node, parts.model.id):
            raise Unclear(node, f"{parts.model.id} is bound anew after it was compiled")
    for statement in compiles:
        for other in compiles[: compiles.index(statement)]:
            if not exclude_each_other(parts.source, statement, other):
                raise Unclear(statement, f"{parts.model.id} is compiled more than once")
        call = statement.value
        assert isinstance(call, ast.Call)
        given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "optimizer")]
        for name in (parts.model, *given):
            if isinstance(name, ast.Name) and name.id not in bound:
                raise Unclear(name, f"{name.id} is bound outside of what becomes the constructor")


def _binds(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)


def _is_compile(call: ast.expr, model: str) -> bool:
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="compile")):
            return name == model
    return False


def _plan_functions(plan: Plan, parts: Parts) -> None:
    """Give the context to the functions that need it, wherever they are called."""
    names = parts.source.names
    for function in given_context(parts.source):
        plan.definition(RULE.id, parts.source, function, _taking_context(function))
        for node in names.nodes:
            if isinstance(node, ast.Name) and node.id == function.name:
                call = names.parents[node]
                context = context_in(parts.source, node)
                if isinstance(call, ast.Call) and context is not None:
                    plan.expression(RULE.id, parts.source, call, _giving(context))


def _taking_context(function: ast.FunctionDef) -> making.Edit:
    arguments = [*function.args.args, *function.args.kwonlyargs]
    is_annotated = function.returns is not None or any(one.annotation for one in arguments)

    def edit(updated: Any) -> Any:
        annotation = cst.Annotation(making.expression(CONTEXT_CLASS)) if is_annotated else None
        context = cst.Param(cst.Name("context"), annotation)
        params = updated.params.with_changes(params=[context, *updated.params.params])
        return updated.with_changes(params=params)

    return edit


def _giving(context: str) -> making.Edit:
    return lambda call: call.with_changes(args=[cst.Arg(making.expression(context)), *call.args])


RULE = Rule(
    id="P017",
    name="script",
    doc="A script that the config names and that fits its model itself becomes a trial: what it "
    "did before fit is done in the constructor, in its order; what it gave to fit is returned by "
    "the loaders and told to configure_fit; what it did after fit is done when the training ends.",
    safety=Safety.SAFE,
    plan=plan,
    generations=SCRIPTS,
    cases=CASES,
)
