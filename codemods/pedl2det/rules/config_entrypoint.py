"""C105: a config names its trial."""

from __future__ import annotations

from pedl2det.findings import Finding, Kind
from pedl2det.plan import Plan
from pedl2det.project import TrialProject
from pedl2det.rules.rule import Case, Rule, Safety, trial


def plan(project: TrialProject, plan: Plan) -> None:
    """Append ``entrypoint: module:Class`` to every config that has none."""
    source, node = project.trial
    module = project.module_of(source)
    for config in project.configs:
        present = config.entry("entrypoint") or config.entry("entrypoints")
        if present is not None:
            if present.scalar is None:
                message = f"{present.path[0]}: a mapping has no equivalent: name module:Class"
                plan.findings.append(
                    Finding(Kind.PERSON, RULE.id, config.path, present.line, message)
                )
        elif module == "__init__":
            message = "the trial stands in __init__.py: move it to a module, and import it there"
            plan.refuse(RULE.id, source, node, message)
        else:
            plan.config(config).append(RULE.id, "entrypoint", f"{module}:{node.name}")


_CONFIG = "hyperparameters: {}\nsearcher: {name: single, metric: val_loss}\n"

RULE = Rule(
    id="C105",
    name="config-entrypoint",
    doc="The old harness took the only trial of the package; a config now says where it is.",
    safety=Safety.SAFE,
    plan=plan,
    cases=(
        Case(
            trial("pass\n") | {"const.yaml": _CONFIG},
            {"const.yaml": f"{_CONFIG}entrypoint: model_def:T\n"},
        ),
        Case(trial("pass\n") | {"const.yaml": f"{_CONFIG}entrypoint: model_def:T\n"}, {}),
        Case(
            trial("pass\n") | {"const.yaml": f"{_CONFIG}entrypoint: {{script: train.py}}\n"},
            {},
            says="a mapping has no equivalent",
        ),
    ),
)
