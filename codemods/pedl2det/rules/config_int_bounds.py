"""C103: the upper bound of an integer hyperparameter."""

from __future__ import annotations

from pedl2det.facts.config import Config, Entry
from pedl2det.facts.project import TrialProject
from pedl2det.findings import Finding, Kind
from pedl2det.plan import Plan
from pedl2det.rules.rule import ALL, Case, Rule, Safety, trial


def plan(project: TrialProject, plan: Plan) -> None:
    """Lower ``maxval`` by one in every config that counts in steps."""
    for config in project.configs:
        if _is_legacy(config):
            for hparam in config.entries("hyperparameters"):
                _plan_bound(config, plan, hparam)


def _plan_bound(config: Config, plan: Plan, hparam: Entry) -> None:
    """Lower the bound of one hyperparameter, or of those that it groups."""
    kind = config.entry(*hparam.path, "type")
    if kind is None:
        for inner in config.entries(*hparam.path):
            _plan_bound(config, plan, inner)
        return
    bound = config.entry(*hparam.path, "maxval")
    if kind.scalar != "int" or bound is None:
        return
    name, text = ".".join(bound.path), bound.scalar or ""
    if not text.lstrip("-").isdecimal():
        message = f"{name}: expected a whole number, got {text!r}"
        plan.findings.append(Finding(Kind.PERSON, RULE.id, config.path, bound.line, message))
        return
    lower = str(int(text) - 1)
    plan.config(config).replace(RULE.id, bound, lower)
    message = f"{name}: {text} was never drawn, {lower} was"
    plan.findings.append(Finding(Kind.NOTE, RULE.id, config.path, bound.line, message))


def _is_legacy(config: Config) -> bool:
    keys = (("searcher", "max_steps"), ("searcher", "target_trial_steps"), ("batches_per_step",))
    return any(config.entry(*key) is not None for key in keys)


_SEARCHER = "searcher: {name: random, max_steps: 1}\n"


def _units(bound: str, group: str = "") -> dict[str, str]:
    spec = f"{{type: int, minval: 1, maxval: {bound}}}"
    spec = f"{{{group}{spec}}}" if group else spec
    return {"const.yaml": f"hyperparameters:\n  units: {spec}\n{_SEARCHER}"}


RULE = Rule(
    id="C103",
    name="config-int-bounds",
    doc="The upper bound of an int hyperparameter was excluded from a search and is included now.",
    safety=Safety.SAFE,
    plan=plan,
    generations=ALL,
    cases=(
        Case(trial("pass\n") | _units("9"), _units("8"), says="9 was never drawn, 8 was"),
        Case(trial("pass\n") | _units("9", "net: "), _units("8", "net: ")),
        Case(trial("pass\n") | _units("1e1"), {}, says="expected a whole number, got '1e1'"),
        Case(
            trial("pass\n")
            | {"const.yaml": _units("9")["const.yaml"].replace("max_steps: 1", "max_length: 1")},
            {},
        ),
    ),
)
