"""C104: floats that every YAML reader takes for floats."""

from __future__ import annotations

import re

import yaml

from pedl2det.facts.project import TrialProject
from pedl2det.plan import Plan
from pedl2det.rules.rule import ALL, Case, Rule, Safety, trial

_FLOAT = re.compile(r"([-+]?)([0-9]+)(\.[0-9]*)?[eE]([-+]?)([0-9]+)")


def plan(project: TrialProject, plan: Plan) -> None:
    """Write ``1e-4`` as ``1.0e-4`` in every config."""
    for config in project.configs:
        for entry in config.scalars():
            node = entry.value
            match = _FLOAT.fullmatch(entry.scalar or "")
            plain = isinstance(node, yaml.ScalarNode) and not node.style
            if match is None or not plain or node.tag != "tag:yaml.org,2002:str":
                continue
            sign, whole, fraction, exponent_sign, exponent = match.groups()
            fraction = fraction if fraction and fraction != "." else ".0"
            text = f"{sign}{whole}{fraction}e{exponent_sign or '+'}{exponent}"
            plan.config(config).replace(RULE.id, entry, text)


_SEARCHER = "searcher: {name: single, metric: val_loss}\n"


def _rate(text: str) -> dict[str, str]:
    return {"const.yaml": f"hyperparameters:\n  rate: {text}\n{_SEARCHER}"}


RULE = Rule(
    id="C104",
    name="config-floats",
    doc="The old command line read 1e-4 as a float (YAML 1.2); PyYAML reads a string (YAML 1.1). "
    "1.0e-4 is a float to both.",
    safety=Safety.SAFE,
    plan=plan,
    generations=ALL,
    cases=(
        Case(trial("pass\n") | _rate("1e-4  # low"), _rate("1.0e-4  # low")),
        Case(trial("pass\n") | _rate("[2E5, 3.e1]"), _rate("[2.0e+5, 3.0e+1]")),
        Case(trial("pass\n") | _rate('"1e-4"'), {}),
        Case(trial("pass\n") | _rate("1.0e-4"), {}),
    ),
)
