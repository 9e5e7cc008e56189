"""Rules that are left out and files that are excluded never lead to half a migration."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrating import CONFIG, TRIAL, run, trials
from pedl2det.findings import Kind
from pedl2det.engine import migrate
from pedl2det.migrate.choice import Choice
from pedl2det.rules import RULES, Rule
from pedl2det.rules.rule import Case
from support import read_tree, write_tree


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "trial", TRIAL)


REWRITING = [
    pytest.param(rule, case, id=f"{rule.id}-{number}")
    for rule in RULES
    for number, case in enumerate(rule.cases)
]


@pytest.mark.parametrize(("rule", "case"), REWRITING)
def test_a_trial_that_needs_a_rule_which_is_left_out_is_left(
    rule: Rule, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Left out, a rule can only make less of a migration: never another one."""
    root = write_tree(tmp_path / "trial", case.before)
    whole = migrate([root])
    with monkeypatch.context() as without_it:
        without_it.setattr(
            "pedl2det.migrate.one_trial.RULES", [one for one in RULES if one is not rule]
        )
        is_needed = migrate([root]).files != whole.files

    part = migrate([root], Choice(frozenset({rule.id})))

    assert part.files in ([], whole.files)
    assert (part.rewritten + part.refused + part.suppressed) == (
        whole.rewritten + whole.refused + whole.suppressed
    )
    if whole.files and is_needed:
        assert (part.files, part.rewritten, part.refused) == ([], 0, 0)
        assert part.suppressed == whole.rewritten
        assert rule.id in {finding.rule for finding in part.of_kind(Kind.SUPPRESSED)}
    if part.files:
        assert part.findings == whole.findings


def test_a_rule_that_adds_to_the_constructor_is_needed(trial: Path) -> None:
    """No place is changed by P002 alone: shuffling would go unnoticed."""
    before = read_tree(trial)

    left = run("--ignore", "sequence-order", trial)

    assert left.exit_code == 0, left.output
    assert read_tree(trial) == before
    assert (
        f"{trial / 'model_def.py'}:5: left by your choice: sequence-order was left out, and this "
        "needs it: the trial stays as it is [P002]\n" in left.output
    )
    assert "0 of 1 trial rewritten; 4 legacy names: 0 rewritten, 0 left as they were, 4" in (
        left.output
    )


def test_what_a_rule_refuses_is_not_done_without_it(trial: Path) -> None:
    write_tree(trial, {"nets.py": "import numpy\n\nX = numpy.random.rand(3)\n"})
    before = read_tree(trial)

    left = run("--ignore", "P014", trial)

    assert left.exit_code == 0, left.output
    assert "nets.py:3: left by your choice: numpy.random.rand is called when this" in left.output
    assert read_tree(trial) == before


def test_a_trial_that_is_left_for_other_reasons_is_left_for_a_person(trial: Path) -> None:
    write_tree(trial, {"nets.py": "import numpy\n\nX = numpy.random.rand(3)\n"})

    left = run("--ignore", "P002", trial)

    assert left.exit_code == 1
    assert "0 rewritten, 4 left as they were, 0 suppressed" in left.output


def test_a_config_rule_that_is_left_out_keeps_its_trial(tmp_path: Path) -> None:
    root = trials(tmp_path / "all", 2)
    (root / "t1" / "const.yaml").write_text(CONFIG.replace("{batch", "{rate: 1e-4, batch"))
    before = read_tree(root / "t1")

    left = run("--ignore", "C104", root)

    assert "t1/const.yaml:1: left by your choice: config-floats was left out" in left.output
    assert "1 of 2 trials rewritten" in left.output
    assert read_tree(root / "t1") == before


def test_rules_that_are_not_selected_are_left_out(trial: Path) -> None:
    every = [option for rule in RULES for option in ("--select", rule.name)]
    assert run("--check", "--select", "P001", trial).exit_code == 0
    assert run("--check", *every, trial).exit_code == 1
    assert run("--check", *every, "--ignore", "P012", trial).exit_code == 0


def test_a_rule_that_is_unknown_is_named_with_those_near_it(trial: Path) -> None:
    unknown = run("--ignore", "hparms", trial)

    assert unknown.exit_code == 2
    assert unknown.output == (
        "pedl2det: --ignore: hparms: no such rule: did you mean hparams? "
        "`pedl2det rules` lists them\n"
    )


def settings(directory: Path, text: str) -> None:
    (directory / "pyproject.toml").write_text(f"[tool.pedl2det]\n{text}")


def test_settings_are_read_and_the_command_line_wins(trial: Path) -> None:
    settings(trial.parent, 'ignore = ["P002"]\n')
    (trial / "pyproject.toml").write_text("[tool.other]\nselect = 1\n")

    assert "P002" in run("--check", trial).output
    assert run("--check", trial).exit_code == 0
    assert run("--check", trial, "--ignore", "P013").exit_code == 1
    settings(trial.parent, 'select = ["P002"]\n')
    assert "P001" in run("--check", trial).output


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("excludes = []\n", "tool.pedl2det.excludes: no such setting: expected exclude, ignore"),
        ('select = "P001"\n', "tool.pedl2det.select: expected a list of texts, got 'P001'"),
        ("ignore = [1]\n", "tool.pedl2det.ignore: expected a list of texts, got [1]"),
        (
            'ignore = ["sequence-ordr"]\n',
            "tool.pedl2det.ignore: sequence-ordr: no such rule: did you mean sequence-order",
        ),
        ("ignore = ]\n", "cannot be read as TOML: Invalid value (at line 2, column 10)"),
    ],
)
def test_settings_that_are_none_are_wrong_use(text: str, message: str, trial: Path) -> None:
    settings(trial, text)

    wrong = run(trial)

    assert wrong.exit_code == 2
    assert wrong.output.startswith(f"pedl2det: {trial / 'pyproject.toml'}: ")
    assert message in wrong.output
    assert wrong.output.count("\n") == 1


@pytest.mark.parametrize("glob", ["old", "all/old", "o*", "all/old/*.py", "*/nets.py", "old/"])
def test_excluded_trials_are_left_and_counted(glob: str, tmp_path: Path) -> None:
    root = tmp_path / "all"
    write_tree(root / "old", TRIAL | {"nets.py": "import pedl\n"})
    write_tree(root / "new", TRIAL)
    settings(tmp_path, f'exclude = ["{glob}"]\n')
    before = read_tree(root / "old")

    done = run(root)

    assert done.exit_code == 0, done.output
    assert read_tree(root / "old") == before
    assert "left by your choice: this file is excluded, and would be rewritten" in done.output
    assert "1 of 2 trials rewritten; 9 legacy names: 4 rewritten, 0 left as they were, 5" in (
        done.output
    )


def test_what_is_named_on_the_command_line_is_not_excluded(tmp_path: Path) -> None:
    write_tree(tmp_path / "all" / "old", TRIAL)
    settings(tmp_path, 'exclude = ["all", "old"]\n')

    assert run(tmp_path / "all" / "old").exit_code == 0
    assert b"determined" in read_tree(tmp_path)["all/old/model_def.py"]


def test_excluded_scripts_and_ruins_are_passed_over(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "all", {"submit.py": "import pedl\n\npedl.Experiment()\n"})
    write_tree(root / "trial", TRIAL | {"two.py": "import pedl\nprint 'two'\n"})
    write_tree(root, {"tools/a.py": "import pedl\n"})
    assert run("--check", root).exit_code == 2
    settings(tmp_path, 'exclude = ["two.py", "submit.py"]\n')

    some = run("--check", root)
    assert some.exit_code == 1
    assert "tools/a.py:1: left for you: pedl: no trial in this directory" in some.output
    settings(tmp_path, 'exclude = ["two.py", "submit.py", "tools"]\n')
    done = run(root)

    assert done.exit_code == 0, done.output
    assert "1 of 1 trial rewritten; 7 legacy names: 4 rewritten, 0 left as they were, 3" in (
        done.output
    )


def test_a_config_that_cannot_be_read_is_needed_though_it_is_excluded(trial: Path) -> None:
    """Nobody knows whether it would be rewritten."""
    (trial / "const.yaml").write_text("- a\n")
    settings(trial, 'exclude = ["const.yaml"]\n')

    assert run("--check", trial).exit_code == 2
