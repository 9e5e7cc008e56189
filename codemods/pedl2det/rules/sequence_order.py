"""P002: batches keep their order."""

from __future__ import annotations

from pedl2det.plan import Plan
from pedl2det.project import TrialProject
from pedl2det.rules.rule import Case, Rule, Safety, trial


def plan(project: TrialProject, plan: Plan) -> None:  # noqa: ARG001
    """Say in the constructor that batches are not shuffled."""
    plan.constructor.append("self.context.configure_fit(shuffle=False)")


RULE = Rule(
    id="P002",
    name="sequence-order",
    doc="The old harness read a Sequence in its own order; the context-based one shuffles the "
    "order of the batches unless it is told not to.",
    safety=Safety.SAFE,
    plan=plan,
    cases=(
        Case(
            trial("def helper(self):\n    pass\n"),
            trial(
                "def __init__(self, context: TFKerasTrialContext) -> None:\n"
                "    self.context.configure_fit(shuffle=False)\n\n"
                "def helper(self):\n    pass\n"
            ),
        ),
        Case({"model_def.py": "import pedl\n"}, {}),
    ),
)
