"""Every rule does what its cases say: the real migrate turns each before into its after, once."""

from __future__ import annotations

import ast
import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rule_cases import every_case
from rule_cases.cases import Case

from pedl2det import rules as rules_package
from pedl2det.engine import Options, Result, Status, migrate
from pedl2det.files.write import write_all
from pedl2det.findings import Kind
from pedl2det.rules import RULES, Rule, every_rule
from support import ROOT, write_tree

CASES = [pytest.param(rule, case, id=name) for rule, case, name in every_case()]
STATUS = {status.value: status for status in Status}
#: Kinds of findings that a case has to expect by its words.
MATTERS = (Kind.LEFT, Kind.BAD_INPUT, Kind.DEFECT, Kind.DIFFERENT)


def migrated(directory: Path) -> Result:
    return migrate([directory], Options(partial=True))


@pytest.mark.parametrize(("rule", "case"), CASES)
def test_a_case_becomes_what_it_says(rule: Rule, case: Case, tmp_path: Path) -> None:
    write_tree(tmp_path, dict(case.before))

    result = migrated(tmp_path)
    write_all(result.files)
    again = migrated(tmp_path)

    assert {name: (tmp_path / name).read_text() for name in case.after} == dict(case.after)
    said = [f"{one.message}\n{one.help}" for one in result.findings]
    assert not case.says or any(case.says in one for one in said), said
    unexpected = [
        str(one)
        for one in result.findings
        if one.kind in MATTERS and (not case.says or one.rule != rule.id)
    ]
    assert unexpected == []
    statuses = [outcome.status for outcome in result.outcomes]
    assert statuses in ([STATUS[case.status]], []), "a case is one trial, or nothing to do"
    assert again.files == [], "a second run changes nothing"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_has_documentation_and_an_example(rule: Rule) -> None:
    assert rule.doc
    assert rule.example


def test_every_module_of_a_rule_is_in_the_table() -> None:
    folder = Path(rules_package.__file__).parent

    modules = {path.stem for path in folder.glob("p*.py")}

    assert modules == {f"{one.id}-{one.name}".lower().replace("-", "_") for one in RULES}


def test_a_migration_loads_no_rules_for_other_trials(tmp_path: Path) -> None:
    """An ordinary trial of PEDL has nothing to do with early Determined, KerasTrial or scripts."""
    trial = shutil.copytree(ROOT / "legacy_examples" / "iris", tmp_path / "iris")
    code = (
        "import atexit, sys; from pedl2det.cli import main\n"
        f"sys.argv = ['pedl2det', 'migrate', '--no-verify', {str(trial)!r}]\n"
        "atexit.register(lambda: print(*[name for name, one in sys.modules.items() "
        "if name.startswith('pedl2det') and one.__file__]))\nmain()"
    )

    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()

    codes = [name for name in loaded if _has_code(Path(importlib.import_module(name).__file__))]
    assert len(codes) <= 80, "a person has to hold them in the head"
    ids = {name.rpartition(".")[2][:4].upper() for name in loaded if ".rules.p" in name}
    assert ids.isdisjoint({"P007", "P015", "P018", "P019", "P022", "P034"})
    assert len(ids) <= 16


def test_the_ids_and_names_of_rules_are_unique() -> None:
    every = every_rule()

    assert len({rule.id for rule in every}) == len(every) == len({rule.name for rule in every})


def _has_code(file: Path) -> bool:
    """Whether a module is more than its documentation."""
    return len(ast.parse(file.read_text()).body) > 1
