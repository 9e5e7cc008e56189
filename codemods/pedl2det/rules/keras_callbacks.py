"""P011: callbacks that act by epoch need a decision."""

from __future__ import annotations

import ast

from pedl2det import where
from pedl2det.legacy import is_legacy
from pedl2det.plan import Plan
from pedl2det.project import TrialProject
from pedl2det.rules.rule import OLD, Case, Rule, Safety, trial
from pedl2det.source import Source


def plan(project: TrialProject, plan: Plan) -> None:
    """Refuse ``keras_callbacks`` that return anything but a list of the old API's callbacks."""
    source, _ = project.trial
    method = where.methods(project).get("keras_callbacks")
    if method is None:
        return
    for node in ast.walk(method):
        if isinstance(node, ast.Return) and node.value and not _is_known(source, node.value):
            plan.refuse(
                RULE.id,
                source,
                node,
                f"{ast.unparse(node.value)}: an epoch was one pass over the data, with training "
                "logs; in the context-based API it is records_per_epoch, with empty logs: decide "
                "which hooks these callbacks need",
            )


def _is_known(source: Source, value: ast.expr) -> bool:
    """Whether this is a list of callbacks that mean the same in both APIs."""
    if isinstance(value, ast.Call):  # super().keras_callbacks(hparams)
        return isinstance(value.func, ast.Attribute) and ast.unparse(value.func.value) == "super()"
    return isinstance(value, ast.List) and all(
        isinstance(element, ast.Call) and is_legacy(source.names.qualified(element.func) or "")
        for element in value.elts
    )


RULE = Rule(
    id="P011",
    name="keras-callbacks",
    doc="Callbacks that act at the end of an epoch would be called at other times, with other "
    "logs: a person decides.",
    safety=Safety.PERSON,
    plan=plan,
    generations=OLD,
    cases=(
        Case(
            trial("def keras_callbacks(self, hparams):\n    return [EarlyStopping()]\n"),
            {},
            says="[EarlyStopping()]: an epoch was one pass over the data",
        ),
        Case(
            trial("def keras_callbacks(self, hparams):\n    return CALLBACKS\n"),
            {},
            says="CALLBACKS: an epoch was one pass over the data",
        ),
        Case(trial("def keras_callbacks(self, hparams):\n    return []\n"), {}),
    ),
)
