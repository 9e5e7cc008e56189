"""Convert an experiment config to what Determined 0.38.1 accepts: what changes, and why.

Pure: a rule reads a config and facts about the trial, and yields edits and findings. The rules
do not depend on their order.
"""

from __future__ import annotations

from pedl2det.analysis.config import Config
from pedl2det.analysis.experiment import searches, sections
from pedl2det.analysis.text_rules import ConfigFacts, Edit, TextFinding, TextRule, config_example

#: The rule that reports what cannot be read or written.
_FILE = TextRule(
    "C100",
    "config-unreadable",
    "A config that is not YAML, has a key twice, or cannot be edited without changing its "
    "meaning is left, and no longer runs.",
    *config_example("hyperparameters: {a: 1, a: 2}\n", "hyperparameters: {a: 1, a: 2}\n"),
)
RULES = (_FILE, *searches.RULES, *sections.RULES)


def convert(config: Config, facts: ConfigFacts) -> tuple[list[Edit], list[TextFinding]]:
    """Return the edits that a config needs, and what a user should know about them, by line."""
    edits: list[Edit] = []
    findings: list[TextFinding] = []
    for rule in RULES:
        for result in rule.check(config, facts) if rule.check else ():
            (findings if isinstance(result, TextFinding) else edits).append(result)
    return sorted(edits, key=_place), sorted(findings, key=_place)


def _place(result: Edit | TextFinding) -> tuple[int, str]:
    return result.line, result.rule
