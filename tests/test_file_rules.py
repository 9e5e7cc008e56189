"""Every rule about files does what its own cases say."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det.files.write import write_all
from pedl2det.migrate import migrate
from pedl2det.rules import FILE_RULES, FileRule
from pedl2det.rules.rule import Case
from support import read_tree, write_tree

CASES = [
    pytest.param(rule, case, id=f"{rule.id}-{number}")
    for rule in FILE_RULES
    for number, case in enumerate(rule.cases)
]


@pytest.mark.parametrize(("rule", "case"), CASES)
def test_file_rule_case(rule: FileRule, case: Case, tmp_path: Path) -> None:
    write_tree(tmp_path, case.before)
    said = ""
    for name in case.before:
        assert rule.applies(tmp_path / name)
        outcome = rule.rewrite(tmp_path / name, (tmp_path / name).read_bytes())

        assert outcome.data == case.after.get(name, case.before[name]).encode()
        assert bool(outcome.changes) == (name in case.after)
        said += "\n".join(finding.message for finding in outcome.findings)
    assert case.says in said
    assert said == "" or case.says, "what it says must be expected by its words"


@pytest.mark.parametrize("rule", FILE_RULES, ids=lambda rule: rule.id)
def test_file_rule_has_evidence(rule: FileRule) -> None:
    assert rule.doc
    assert any(case.after for case in rule.cases) or rule.safety.name == "PERSON"
    assert any(not case.after for case in rule.cases), "a case where it must not fire"


@pytest.mark.parametrize(("rule", "case"), CASES)
def test_a_second_run_changes_nothing_more(rule: FileRule, case: Case, tmp_path: Path) -> None:
    write_tree(tmp_path, case.before)
    result = migrate([tmp_path])
    write_all(result.files)

    assert all(read_tree(tmp_path)[name] == text.encode() for name, text in case.after.items())
    assert migrate([tmp_path]).files == []
