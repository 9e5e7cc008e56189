"""The context handed on from caller to callee, where rules want it beyond the trial."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det.edit.making import Edit, expression
from pedl2det.facts.source import Source
from pedl2det.flow.reach import Callee, Obstacle, constructor
from pedl2det.plan import Plan
from pedl2det.plan.constructor import CONTEXT_CLASS


def plan_handing_on(plan: Plan, rule: str) -> None:
    """Give every receiver the context as its first argument, in its head and in each call."""
    for callee, source in plan.reach.receivers.items():
        _plan_head(plan, rule, source, callee)
        for use in plan.reach.uses(callee):
            context = plan.reach.context(use.source, use.node)
            assert not isinstance(context, Obstacle) and use.call is not None
            if not plan.is_dropped(use.call):
                plan.expression(rule, use.source, use.call, _with_first_argument(context))


def _plan_head(plan: Plan, rule: str, source: Source, callee: Callee) -> None:
    is_class = isinstance(callee, ast.ClassDef)
    function = constructor(callee) if isinstance(callee, ast.ClassDef) else callee
    annotated = any(argument.annotation for argument in function.args.args)
    if annotated:
        plan.require(source, f"from determined.keras import {CONTEXT_CLASS}")
    annotation = cst.Annotation(expression(CONTEXT_CLASS)) if annotated else None

    def edit(updated: Any) -> Any:
        given = list(updated.params.params)
        at = 1 if is_class else 0  # after self
        is_last = at == len(given) and not _has_more(updated.params)
        comma: Any = cst.MaybeSentinel.DEFAULT if is_last else _COMMA
        if at and at == len(given):
            given[-1] = given[-1].with_changes(comma=_COMMA)
        given.insert(at, cst.Param(cst.Name("context"), annotation, comma=comma))
        return updated.with_changes(params=updated.params.with_changes(params=given))

    plan.definition(rule, source, function, edit)


def _has_more(params: Any) -> bool:
    return bool(params.kwonly_params or params.star_kwarg) or isinstance(
        params.star_arg, cst.Param | cst.ParamStar
    )


_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def _with_first_argument(context: str) -> Edit:
    def edit(call: Any) -> Any:
        first = cst.Arg(expression(context))
        if call.args:
            first = first.with_changes(comma=_COMMA)
        return call.with_changes(args=[first, *call.args])

    return edit
