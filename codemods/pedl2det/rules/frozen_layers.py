"""P038: a frozen ``BatchNormalization`` is another layer today."""

from __future__ import annotations

import ast

from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.plan import Plan
from pedl2det.rules.rule import OLD, Case, Rule, Safety, trial

_NORMALISED = ("applications", "BatchNormalization", "load_model", "model_from_json")


def plan(project: TrialProject, plan: Plan) -> None:
    """Refuse to freeze layers where one of them may normalise by the batch."""
    if not any(map(_may_normalise, project.sources.values())):
        return
    for source in project.sources.values():
        for node in source.names.nodes:
            match node:
                case ast.Attribute(attr="trainable", ctx=ast.Store()):
                    pass
                case ast.keyword(arg="trainable", value=value) if not _is_true(value):
                    pass
                case _:
                    continue
            message = (
                "a frozen BatchNormalization normalised by its batch in training, and uses its "
                "averages now: call it with training=True, or do not freeze it"
            )
            place = node.value if isinstance(node, ast.keyword) else node
            plan.refuse(RULE.id, source, place, message)


def _may_normalise(source: Source) -> bool:
    """Whether a file makes such a layer, or a model in which one may be."""
    names = source.names
    words = {node.attr for node in names.of(ast.Attribute)}
    words |= {node.id for node in names.of(ast.Name)} | {node.name for node in names.of(ast.alias)}
    for node in names.of(ast.ImportFrom):
        words.update((node.module or "").split("."))
    return not words.isdisjoint(_NORMALISED)


def _is_true(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is True


_LAYERS = (
    "from tensorflow.keras.layers import BatchNormalization, Dense\n"
    "from pedl.frameworks.keras import TFKerasTrial"
)

RULE = Rule(
    id="P038",
    name="frozen-layers",
    doc="Since TensorFlow 2 a BatchNormalization that is not trainable runs in inference mode; "
    "before, it went on normalising by the batch. Freezing such layers needs a person.",
    safety=Safety.PERSON,
    plan=plan,
    generations=OLD,
    cases=(
        Case(
            trial("def helper(self, base):\n    base.trainable = False\n", _LAYERS),
            {},
            says="a frozen BatchNormalization normalised by its batch",
        ),
        Case(
            trial("def helper(self):\n    return BatchNormalization(trainable=False)\n", _LAYERS),
            {},
            says="a frozen BatchNormalization normalised by its batch",
        ),
        Case(
            trial(
                "def helper(self, base):\n    base.trainable = False\n",
                _LAYERS.replace("BatchNormalization, ", ""),
            ),
            {},
        ),
        Case(
            trial("def helper(self):\n    return BatchNormalization(trainable=True)\n", _LAYERS),
            {},
        ),
    ),
)
