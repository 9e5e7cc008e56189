"""C105: a config names its trial."""

from __future__ import annotations

from pedl2det.facts.config import Config, Entry
from pedl2det.facts.project import TrialProject
from pedl2det.findings import Finding, Kind
from pedl2det.plan import Plan
from pedl2det.rules.rule import CLASSES, Case, Rule, Safety, trial


def plan(project: TrialProject, plan: Plan) -> None:
    """Name ``entrypoint: module:Class`` in every config that has none."""
    source, node = project.trial
    module = project.module_of(source)
    for config in project.configs:
        mapping = config.entry("entrypoints")
        present = config.entry("entrypoint")
        if present is not None and present.scalar is not None:
            continue
        if module == "__init__":
            message = "the trial stands in __init__.py: move it to a module, and import it there"
            plan.refuse(RULE.id, source, node, message)
        elif present is not None:
            message = "entrypoint: a mapping has no equivalent: name module:Class"
            _leave(plan, config, present, message)
        elif mapping is None:
            plan.config(config).append(RULE.id, "entrypoint", f"{module}:{node.name}")
        else:
            _plan_mapping(plan, config, mapping, f"{module}:{node.name}")


def _plan_mapping(plan: Plan, config: Config, mapping: Entry, entrypoint: str) -> None:
    """``entrypoints:`` named the functions too, which the trial now calls itself."""
    named = config.entry("entrypoints", "trial_class")
    module, _, name = (named.scalar or "" if named else "").partition(":")
    if plan.project.calls.resolve(module, name) is not plan.project.trial[1]:
        message = f"entrypoints.trial_class: expected the trial {entrypoint}"
        _leave(plan, config, named or mapping, message)
    else:
        plan.config(config).flatten(RULE.id, mapping, entrypoint, name="entrypoint")


def _leave(plan: Plan, config: Config, entry: Entry, message: str) -> None:
    plan.findings.append(Finding(Kind.PERSON, RULE.id, config.path, entry.line, message))


_CONFIG = "hyperparameters: {}\nsearcher: {name: single, metric: val_loss}\n"

RULE = Rule(
    id="C105",
    name="config-entrypoint",
    doc="The old harness took the only trial of the package, or the parts that entrypoints named; "
    "a config now says where the trial is.",
    safety=Safety.SAFE,
    plan=plan,
    generations=CLASSES,
    cases=(
        Case(
            trial("pass\n") | {"const.yaml": _CONFIG},
            {"const.yaml": f"{_CONFIG}entrypoint: model_def:T\n"},
        ),
        Case(trial("pass\n") | {"const.yaml": f"{_CONFIG}entrypoint: model_def:T\n"}, {}),
        Case(
            trial("pass\n")
            | {"const.yaml": f"entrypoints:\n  trial_class: model_def:T\n\n{_CONFIG}"},
            {"const.yaml": f"entrypoint: model_def:T\n\n{_CONFIG}"},
        ),
        Case(
            trial("pass\n") | {"const.yaml": f"entrypoints: {{trial_class: other:T}}\n{_CONFIG}"},
            {},
            says="entrypoints.trial_class: expected the trial model_def:T",
        ),
        Case(
            trial("pass\n") | {"const.yaml": f"{_CONFIG}entrypoint: {{script: train.py}}\n"},
            {},
            says="a mapping has no equivalent",
        ),
    ),
)
