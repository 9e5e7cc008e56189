"""Every rule about texts does to its own example what it says."""

from __future__ import annotations

import re

import pytest

from pedl2det.analysis.text_rules import ConfigFacts, TextResult, TextRule
from pedl2det.texts import RULES, is_requirement_file
from pedl2det.texts.commands import migrate_shell
from pedl2det.texts.configs import migrate_config
from pedl2det.texts.requirements import migrate_requirements

FACTS = {
    "C106": {"metric_renames": {"val_acc": "val_accuracy"}},
    "C107": {"batch_size": 16},
    "C110": {"cluster": True},
}


EXAMPLES = [rule for rule in RULES if rule.file]


def migrated(rule: TextRule, text: str) -> TextResult:
    if is_requirement_file(rule.file):
        return migrate_requirements(rule.file, text, cluster=False)
    if not rule.file.endswith(".yaml"):
        return migrate_shell(rule.file, text, cluster=False)
    facts = {"entrypoint": "model_def:T"} | FACTS.get(rule.id, {})
    return migrate_config(text, ConfigFacts(**facts))


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda rule: rule.id)
def test_the_example_of_a_rule(rule: TextRule) -> None:
    result = migrated(rule, rule.before)

    unmarked = re.sub(r"(?m)^# TODO\(pedl2det \w+\).*\n(?:#.*\n)*", "", result.text)
    assert unmarked == rule.after
    assert rule.id in {one.rule for one in (*result.changes, *result.findings)}
    assert rule.doc.endswith(".")


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda rule: rule.id)
def test_a_second_run_changes_nothing(rule: TextRule) -> None:
    once = migrated(rule, rule.before).text

    assert migrated(rule, once).text == once


def test_no_two_rules_have_the_same_id() -> None:
    ids = [rule.id for rule in RULES]

    assert len(ids) == len(set(ids))
