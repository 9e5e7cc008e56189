"""N203: a trial that is defined in a notebook."""

from __future__ import annotations

from pedl2det.facts.project import TrialProject
from pedl2det.plan import Plan
from pedl2det.rules.file_rule import notebook
from pedl2det.rules.rule import Case, Rule, Safety


def plan(project: TrialProject, plan: Plan) -> None:
    """Say what a trial in a notebook lacks."""
    if project.is_notebook:
        source, node = project.trial
        message = (
            f"{node.name} is defined in a notebook, and an entrypoint names a module: to train it, "
            "put it into a file, with %%writefile model_def.py or by exporting the notebook"
        )
        plan.note(RULE.id, source, node, message)


_TRIAL = "class T(TFKerasTrial):\n    pass"

RULE = Rule(
    id="N203",
    name="notebook-trial",
    doc="A notebook is migrated as one module, all its cells together; but neither the old harness "
    "nor an entrypoint can import it.",
    safety=Safety.PERSON,
    plan=plan,
    cases=(
        Case(
            {"try.ipynb": notebook("from pedl.frameworks.keras import TFKerasTrial", _TRIAL)},
            {},
            says="T is defined in a notebook",
        ),
    ),
)
