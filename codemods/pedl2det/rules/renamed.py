"""P010: classes that only changed their place."""

from __future__ import annotations

import ast

from pedl2det.edit.making import becomes
from pedl2det.facts.calls import is_annotation
from pedl2det.facts.occurrences import Occurrence
from pedl2det.facts.project import TrialProject
from pedl2det.facts.renaming import renamed
from pedl2det.plan import Plan
from pedl2det.rules.rule import ALL, Case, Rule, Safety, trial
from pedl2det.tables.legacy import LOADERS, NAMES


def plan(project: TrialProject, plan: Plan) -> None:
    """Rewrite every expression that means such a class."""
    for found in project.occurrences:
        target = _target(found)
        if target is None:
            continue
        if found.ambiguous or plan.is_claimed(found.node) or isinstance(found.node, ast.alias):
            continue
        new = renamed(found.source, found.node, target)
        plan.claim(found.node)
        plan.require(found.source, new.statement)
        if new.text == found.source.segment(found.node):
            plan.changed(RULE.id, found.source, found.node)
        else:
            plan.expression(RULE.id, found.source, found.node, becomes(new.text))


def _target(found: Occurrence) -> str | None:
    """The new name, if this is one that only changed."""
    if found.name in LOADERS and is_annotation(found.source, found.node):
        return "determined.keras.InputData"
    legacy = NAMES.get(found.name)
    becomes = legacy.becomes if legacy is not None else None
    return None if becomes is None or "{context}" in becomes else becomes


_ADAPTER = "from pedl.frameworks.keras.data import KerasDataAdapter\n"

RULE = Rule(
    id="P010",
    name="renamed",
    doc="TFKerasTrial and TFKerasTensorBoard have new homes in determined.keras; what a loader "
    "is annotated with is called InputData.",
    safety=Safety.SAFE,
    plan=plan,
    generations=ALL,
    cases=(
        Case(
            trial(
                "def keras_callbacks(self, hparams):\n    return [keras.TFKerasTensorBoard()]\n",
                "from pedl.frameworks import keras\nfrom pedl.frameworks.keras import TFKerasTrial",
            ),
            trial(
                "def keras_callbacks(self, hparams):\n    return [keras.callbacks.TensorBoard()]\n",
                "from pedl.frameworks import keras\nfrom pedl.frameworks.keras import TFKerasTrial",
            ),
        ),
        Case(
            {
                "model_def.py": "import pedl.frameworks.keras\n\n\n"
                "class T(pedl.frameworks.keras.TFKerasTrial):\n    pass\n"
            },
            {
                "model_def.py": "import pedl.frameworks.keras\n\n\n"
                "class T(determined.keras.TFKerasTrial):\n    pass\n"
            },
        ),
        Case(
            {"data.py": f"{_ADAPTER}\ndef load() -> KerasDataAdapter:\n    pass\n"}
            | trial("pass\n"),
            {"data.py": f"{_ADAPTER}\ndef load() -> InputData:\n    pass\n"},
        ),
        Case(trial("pass\n") | {"other.py": "class TFKerasTensorBoard:\n    pass\n"}, {}),
    ),
)
