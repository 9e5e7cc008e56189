"""C101: ``batch_size`` is ``global_batch_size``."""

from __future__ import annotations

from pedl2det.facts.project import TrialProject
from pedl2det.plan import Plan
from pedl2det.rules.rule import ALL, Case, Rule, Safety, trial


def plan(project: TrialProject, plan: Plan) -> None:
    """Rename the hyperparameter in every config."""
    for config in project.configs:
        entry = config.entry("hyperparameters", "batch_size")
        if entry is not None and config.entry("hyperparameters", "global_batch_size") is None:
            plan.config(config).rename(RULE.id, entry, "global_batch_size")


_SEARCHER = "searcher: {name: single, metric: val_loss}\n"

RULE = Rule(
    id="C101",
    name="config-batch-size",
    doc="The hyperparameter batch_size is called global_batch_size.",
    safety=Safety.SAFE,
    plan=plan,
    generations=ALL,
    cases=(
        Case(
            trial("pass\n")
            | {"const.yaml": f"hyperparameters:\n  batch_size: 32  # records\n{_SEARCHER}"},
            {"const.yaml": f"hyperparameters:\n  global_batch_size: 32  # records\n{_SEARCHER}"},
        ),
        Case(
            trial("pass\n") | {"const.yaml": f"hyperparameters: {{}}\nbatch_size: 1\n{_SEARCHER}"},
            {},
        ),
    ),
)
