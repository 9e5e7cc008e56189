"""The functions that the old harness called with config and hyperparameters, given the context."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det.edit.making import becomes, expression, into_body
from pedl2det.facts.module_graph import imports
from pedl2det.facts.source import Source
from pedl2det.flow import where
from pedl2det.plan import Plan
from pedl2det.plan.constructor import CONTEXT_CLASS
from pedl2det.plan.moved_keys import refuse_moved_keys


def is_plain(plan: Plan, rule: str, source: Source, function: ast.FunctionDef) -> bool:
    """Whether a function has the signature of its kind; it is refused if not."""
    arguments = function.args
    problem = None
    if len(arguments.args) != 2 or arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
        problem = f"expected the signature {function.name}(experiment_config, hparams)"
    elif function.decorator_list:
        problem = f"{function.name} is decorated"
    elif source.names.uses_name(function, "context"):
        problem = f"{function.name} uses the name context already"
    if problem:
        plan.refuse(rule, source, function, problem)
    return problem is None


def make_known(plan: Plan, rule: str, home: Source, name: str, user: Source) -> None:
    """Have a file import a name from the file that defines it, if that is another."""
    if home is user:
        return
    if imports(plan.project, home, user):
        message = f"{home.path.name} and {user.path.name} import each other"
        plan.refuse(rule, home, home.tree, message)
    plan.require(user, f"from {plan.project.module_of(home)} import {name}")


def take_context(plan: Plan, rule: str, source: Source, function: ast.FunctionDef) -> None:
    """Give a function the context in place of what it was given."""
    _plan_signature(plan, rule, source, function)
    _plan_config(plan, rule, source, function)


def _plan_signature(plan: Plan, rule: str, source: Source, function: ast.FunctionDef) -> None:
    annotated = any(argument.annotation for argument in function.args.args)
    for argument in function.args.args:
        if argument.annotation:
            plan.drop(argument.annotation)

    def edit(updated: Any) -> Any:
        annotation = cst.Annotation(expression(CONTEXT_CLASS)) if annotated else None
        context = cst.Param(cst.Name("context"), annotation)
        params = updated.params.with_changes(params=[context])
        return updated.with_changes(
            params=params, whitespace_before_params=cst.SimpleWhitespace("")
        )

    if annotated:
        plan.require(source, f"from determined.keras import {CONTEXT_CLASS}")
    plan.definition(rule, source, function, edit)


def _plan_config(plan: Plan, rule: str, source: Source, function: ast.FunctionDef) -> None:
    """Rewrite what the function asks of ``experiment_config``."""
    name = function.args.args[0].arg
    uses = where.uses_of(source, function, name)
    keyed = [where.constant_key(source, use) for use in uses]
    if uses:
        refuse_moved_keys(plan, rule)
    if not all(keyed):
        plan.definition(
            rule, source, function, into_body(f"{name} = context.get_experiment_config()\n")
        )
        return
    for use, found in zip(uses, keyed, strict=True):
        assert found is not None
        whole, key, default = found
        is_empty = isinstance(default, ast.Dict) and not default.keys
        if key == "data" and (isinstance(whole, ast.Subscript) or is_empty):
            plan.expression(rule, source, whole, becomes("context.get_data_config()"))
        else:
            plan.expression(rule, source, use, becomes("context.get_experiment_config()"))
