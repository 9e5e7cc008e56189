"""P011: callbacks that act by epoch need a decision."""

from __future__ import annotations

import ast

from pedl2det import where
from pedl2det.legacy import is_legacy
from pedl2det.plan import Plan
from pedl2det.project import TrialProject
from pedl2det.rules.rule import Case, Rule, Safety, trial


def plan(project: TrialProject, plan: Plan) -> None:
    """Refuse ``keras_callbacks`` that make anything but callbacks of the old API."""
    source, _ = project.trial
    method = where.methods(project).get("keras_callbacks")
    if method is None:
        return
    for node in ast.walk(method):
        if not isinstance(node, ast.Call) or _is_harmless(source.names.qualified(node.func), node):
            continue
        plan.refuse(
            RULE.id,
            source,
            node,
            f"{ast.unparse(node.func)}: an epoch was one pass over the data, with training logs; "
            "in the context-based API it is records_per_epoch, with empty logs: decide which "
            "hooks it needs",
        )


def _is_harmless(name: str | None, call: ast.Call) -> bool:
    if name is not None and is_legacy(name):
        return True
    match call.func:
        case ast.Attribute(value=ast.Name(id="hparams"), attr="get"):
            return True
        case ast.Name(id="super") | ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
            return True
    return False


RULE = Rule(
    id="P011",
    name="keras-callbacks",
    doc="Callbacks that act at the end of an epoch would be called at other times, with other "
    "logs: a person decides.",
    safety=Safety.PERSON,
    plan=plan,
    cases=(
        Case(
            trial("def keras_callbacks(self, hparams):\n    return [EarlyStopping()]\n"),
            {},
            says="EarlyStopping: an epoch was one pass over the data",
        ),
        Case(trial("def keras_callbacks(self, hparams):\n    return []\n"), {}),
    ),
)
