"""P002: batches keep their order."""

from __future__ import annotations

from pedl2det.facts.project import Generation, TrialProject
from pedl2det.flow import where
from pedl2det.plan import Plan
from pedl2det.rules.rule import OLD_CLASSES, Case, Rule, Safety, trial


def plan(project: TrialProject, plan: Plan) -> None:
    """Say in the constructor that batches are not shuffled."""
    context = "self.context"
    if project.generation is not Generation.PEDL:  # its constructor may not have kept it yet
        present = where.methods(project).get("__init__")
        context = where.context_parameter(project, present) if present else "context"
    plan.constructor.append(f"{context}.configure_fit(shuffle=False)")


RULE = Rule(
    id="P002",
    name="sequence-order",
    doc="The old harness read a Sequence in its own order; the context-based one shuffles the "
    "order of the batches unless it is told not to.",
    safety=Safety.SAFE,
    plan=plan,
    generations=OLD_CLASSES,
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
