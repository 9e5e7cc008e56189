"""Rules that are left out never lead to half a migration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rule_cases import every_case
from rule_cases.cases import Case

from migrating import CONFIG, TRIAL, run, trials
from pedl2det.analysis.discovery import SUPPORT
from pedl2det.analysis.text_rules import TextRule
from pedl2det.engine import Options, migrate
from pedl2det.findings import Kind
from pedl2det.rules import Rule, every_rule
from support import read_tree, write_tree


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "trial", TRIAL)


EXAMPLES = {rule.id: case for rule, case, name in every_case() if name.endswith("-0")}
REWRITING = [pytest.param(rule, case, id=name) for rule, case, name in every_case() if case.after]


@pytest.mark.parametrize(("rule", "case"), REWRITING)
def test_a_trial_that_needs_a_rule_which_is_left_out_is_left(
    rule: Rule, case: Case, tmp_path: Path
) -> None:
    """Left out, a rule makes less of a migration, never another one.

    A file beside the trial that the rule would rewrite, such as a test, is left alone.
    """
    root = write_tree(tmp_path / "trial", dict(case.before))
    whole = migrate([root])

    part = migrate([root], Options(left_out=frozenset({rule.id})))

    left = {finding.path for finding in part.of_kind(Kind.SUPPRESSED)} | {root / SUPPORT}
    expected = [one for one in whole.files if one.path not in left]
    assert part.files == [] or [one for one in part.files if one.path not in left] == expected
    assert part.names == whole.names
    is_carried = any("carried over" in one.message for one in whole.findings)
    if not part.files and whole.files and not is_carried:  # with a rule left out nothing is
        assert rule.id in {finding.rule for finding in part.of_kind(Kind.SUPPRESSED)}
        # Another rule may mark what this one would have rewritten.
        assert (part.rewritten, part.suppressed + part.marked) == (0, whole.rewritten)


@pytest.mark.parametrize("rule", every_rule(), ids=lambda rule: rule.id)
def test_every_rule_that_is_listed_can_be_left_out(rule: Rule | TextRule, tmp_path: Path) -> None:
    """Its example does not become what the list shows, and nothing is said but that it was left."""
    if isinstance(rule, Rule):
        files, changed = EXAMPLES[rule.id].before, EXAMPLES[rule.id].after
    else:
        files, changed = TRIAL | {rule.file: rule.before}, {rule.file: rule.after}
    files = {name: text for name, text in files.items() if name}
    root, report = write_tree(tmp_path / "trial", files), tmp_path / "report.json"

    left = run("--ignore", rule.id, "--report", report, root)

    assert left.exit_code != 2, left.output
    findings = json.loads(report.read_text())["findings"]
    said = [one for one in findings if one["rule"] == rule.id]
    assert {one["kind"] for one in said} <= {"suppressed", "note", "different"}, said
    for name in files.keys() & changed.keys():
        assert files[name] == changed[name] or (root / name).read_text() != changed[name]


def test_a_rule_that_adds_to_the_constructor_is_needed(trial: Path) -> None:
    """No place is changed by P002 alone: shuffling would go unnoticed."""
    before = read_tree(trial)

    left = run("--ignore", "sequence-order", trial)

    assert left.exit_code == 0, left.output
    assert read_tree(trial) == before
    assert (
        f"{trial / 'model_def.py'}:5:1: P002 sequence-order: left by your choice: "
        "sequence-order was left out, and this needs it\n" in left.output
    )
    assert "0 of 1 trial rewritten; 4 legacy names: 0 rewritten, 0 left, 4" in (left.output)


def test_what_a_rule_refuses_is_not_done_without_it(trial: Path) -> None:
    write_tree(trial, {"net.py": "import pedl\n\nX = pedl.Experiment()\n"})
    (trial / "model_def.py").write_text(f"import net\n{TRIAL['model_def.py']}")
    before = read_tree(trial)

    left = run("--ignore", "P010", trial)

    assert left.exit_code == 0, left.output
    assert (
        "net.py:3:5: P010 names: left by your choice: `pedl.Experiment` does not work"
        in left.output
    )
    assert read_tree(trial) == before


def test_a_trial_that_is_left_for_other_reasons_is_left_for_a_person(trial: Path) -> None:
    write_tree(trial, {"net.py": "import pedl\n\nX = pedl.Experiment()\n"})
    (trial / "model_def.py").write_text(f"import net\n{TRIAL['model_def.py']}")

    left = run("--ignore", "P002", trial)

    assert left.exit_code == 1
    assert "0 rewritten, 6 left, 0 suppressed" in left.output


def test_a_config_rule_that_is_left_out_keeps_its_trial(tmp_path: Path) -> None:
    root = trials(tmp_path / "all", 2)
    (root / "t1" / "const.yaml").write_text(CONFIG.replace("{batch", "{rate: 1e-4, batch"))
    before = read_tree(root / "t1")

    left = run("--ignore", "C104", root)

    assert "t1/const.yaml:1: C104 config-floats: left by your choice: " in left.output
    assert "1 of 2 trials rewritten" in left.output
    assert read_tree(root / "t1") == before


def test_rules_that_are_not_selected_are_left_out(trial: Path) -> None:
    every = [option for rule in every_rule() for option in ("--select", rule.name)]
    assert run("--check", "--select", "P001", trial).exit_code == 0
    assert run("--check", *every, trial).exit_code == 1
    assert run("--check", *every, "--ignore", "P001", trial).exit_code == 0


def test_a_rule_that_is_unknown_is_named_with_those_near_it(trial: Path) -> None:
    unknown = run("--ignore", "data-loader", trial)

    assert unknown.exit_code == 2
    assert unknown.output == (
        "pedl2det: --ignore: data-loader: no such rule: did you mean data-loaders or "
        "data-adapter or random-layers? "
        "`pedl2det rules` lists them\n"
    )
