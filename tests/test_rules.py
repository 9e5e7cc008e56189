"""Every rule does what its own cases say: before, after, no-op, idempotence."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det.files.write import write_all
from pedl2det.migrate import migrate, plan_rules
from pedl2det.migrate.scan import read_project
from pedl2det.notebook.scan import notebook_projects
from pedl2det.rules import FILE_RULES, RULES
from pedl2det.rules.rule import Case, Rule
from support import write_tree

CASES = [
    pytest.param(rule, case, id=f"{rule.id}-{number}")
    for rule in RULES
    for number, case in enumerate(rule.cases)
]


def apply_alone(directory: Path, rule: Rule) -> tuple[dict[str, str], list[str], bool]:
    """One rule's edits of a directory, what it says, and whether it leaves the trial alone."""
    notebooks = notebook_projects(sorted(directory.glob("*.ipynb")), [])
    project = notebooks[0] if notebooks else read_project(directory)
    if not project.trials and project.script is None:
        return {}, [], False
    plan = plan_rules(project, [rule])
    said = [finding.message for finding in plan.findings]
    if plan.is_refused:
        return {}, said, True
    edited = {edits.source.path.name: edits.apply() for edits in plan.edited_files}
    for config in plan.edited_configs:
        text = config.result()
        assert text is not None
        edited[config.config.path.name] = text
    return edited, said, False


@pytest.mark.parametrize(("rule", "case"), CASES)
def test_rule_case(rule: Rule, case: Case, tmp_path: Path) -> None:
    write_tree(tmp_path, case.before)

    edited, said, refused = apply_alone(tmp_path, rule)

    assert edited == case.after
    assert case.says in "\n".join(said)
    assert not refused or case.says, "a refusal must be expected by its words"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_rule_has_evidence(rule: Rule) -> None:
    assert rule.doc
    assert any(case.after for case in rule.cases) or rule.safety.name == "PERSON"
    assert any(not case.after for case in rule.cases), "a case where it must not fire"


@pytest.mark.parametrize(("rule", "case"), CASES)
def test_migrating_twice_changes_nothing_more(rule: Rule, case: Case, tmp_path: Path) -> None:
    write_tree(tmp_path, case.before)
    write_all(migrate([tmp_path]).files)

    assert migrate([tmp_path]).files == []


def test_rule_ids_are_unique() -> None:
    rules = (*RULES, *FILE_RULES)
    assert len({rule.id for rule in rules}) == len(rules) == len({rule.name for rule in rules})
