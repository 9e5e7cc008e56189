"""P033: the names of types and of reducers that metrics had."""

from __future__ import annotations

import ast
import re
from typing import Any

from pedl2det.edit.making import becomes
from pedl2det.facts.occurrences import Occurrence
from pedl2det.facts.project import TrialProject
from pedl2det.flow.keras_metrics import ELEMENTWISE_MEAN, without_reducer
from pedl2det.plan import Plan
from pedl2det.rules.rule import Case, Rule, Safety, trial

_TYPES = {"pedl.trial.MetricOp", "pedl.trial.ValidOp"}
_CALLABLES = ("typing.Callable", "collections.abc.Callable")


def plan(project: TrialProject, plan: Plan) -> None:
    """Replace the types by ``Callable`` and take the reducers out."""
    for found in project.occurrences:
        if found.is_import and found.name in _TYPES:
            _check_text(plan, found)
        if found.is_import or found.ambiguous:
            continue
        if found.name in _TYPES:
            _plan_type(plan, found)
        elif found.name == ELEMENTWISE_MEAN:
            _plan_reducer(plan, found)


def _check_text(plan: Plan, found: Occurrence) -> None:
    """Refuse a type whose name stands in a text, as annotations may."""
    assert isinstance(found.node, ast.alias)
    local = found.node.asname or found.node.name
    for node in found.source.names.nodes:
        match node:
            case ast.Constant(value=str(text)) if re.search(rf"\b{local}\b", text):
                if not isinstance(found.source.names.parents[node], ast.Expr):
                    message = f"{text!r} names {local} in a text: write the annotation without"
                    plan.refuse(RULE.id, found.source, node, f"{message} quotes")


def _plan_type(plan: Plan, found: Occurrence) -> None:
    assert isinstance(found.node, ast.expr)
    bound = found.source.names.module_bindings("Callable")
    plan.claim(found.node)
    if any(meaning not in _CALLABLES for meaning in bound):
        plan.refuse(RULE.id, found.source, found.node, "Callable means something else here")
        return
    if not bound:
        plan.require(found.source, "from typing import Callable")
    plan.expression(RULE.id, found.source, found.node, becomes("Callable"))


def _plan_reducer(plan: Plan, found: Occurrence) -> None:
    pair = found.source.names.parents[found.node]
    plan.claim(found.node)
    if not isinstance(pair, ast.Tuple) or without_reducer(found.source, pair) is pair:
        message = "elementwise_mean is not the reducer of a metric here: take it out"
        plan.refuse(RULE.id, found.source, found.node, message)
        return
    plan.expression(RULE.id, found.source, pair, _first)
    plan.drop(found.node)


def _first(pair: Any) -> Any:
    return pair.elements[0].value


_IMPORTS = "from pedl.trial import MetricOp\nfrom pedl.frameworks.keras import TFKerasTrial"
_REDUCER = (
    "from pedl.frameworks.util import elementwise_mean\n"
    "from pedl.frameworks.keras import TFKerasTrial"
)

RULE = Rule(
    id="P033",
    name="metric-types",
    doc="MetricOp and ValidOp were names for Callable. A metric beside elementwise_mean was "
    "averaged over the batches, as Keras does.",
    safety=Safety.SAFE,
    plan=plan,
    cases=(
        Case(
            trial("def f(self) -> Dict[str, MetricOp]:\n    return {}\n", _IMPORTS),
            trial("def f(self) -> Dict[str, Callable]:\n    return {}\n", _IMPORTS),
        ),
        Case(
            trial('def f(self):\n    return {"a": (error, elementwise_mean)}\n', _REDUCER),
            trial('def f(self):\n    return {"a": error}\n', _REDUCER),
        ),
        Case(
            trial('def f(self):\n    return {"a": ("o", (error, elementwise_mean))}\n', _REDUCER),
            trial('def f(self):\n    return {"a": ("o", error)}\n', _REDUCER),
        ),
        Case(
            trial("def f(self):\n    return elementwise_mean([1])\n", _REDUCER),
            {},
            says="elementwise_mean is not the reducer of a metric here",
        ),
        Case(
            trial("def f(self) -> MetricOp:\n    pass\n", f"class Callable: ...\n{_IMPORTS}"),
            {},
            says="Callable means something else here",
        ),
        Case(
            trial('def f(self) -> "MetricOp":\n    pass\n', _IMPORTS),
            {},
            says="'MetricOp' names MetricOp in a text",
        ),
        Case(trial("def f(self) -> MetricOp:\n    pass\n"), {}),
    ),
)
