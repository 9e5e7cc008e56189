"""What a test file reaches: whatever it may import, and not all that there is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import stamps
from support import ROOT

RULE = ROOT / "codemods/pedl2det/rules/p008_wrap_model.py"
TRAINING = ROOT / "runtime/pedl2det_runtime/training/run.py"


def reached(name: str) -> set[Path]:
    return stamps.reached(ROOT / "tests" / name)


def test_rules_are_reached_by_what_migrates_and_training_by_what_trains() -> None:
    assert TRAINING in reached("test_run.py")
    assert RULE not in reached("test_schedule.py")
    assert RULE in reached("codemods/test_rules.py")
    assert TRAINING not in reached("test_turns.py")
    assert {RULE, TRAINING} <= reached("test_oracle.py")
    assert {RULE, TRAINING, ROOT / "README.md"} <= reached("test_docs.py")


@pytest.mark.parametrize("name", ["test_search_plan", "test_error_reasons", "test_legacy_names"])
def test_all_that_a_test_imports_is_reached(name: str) -> None:
    code = (
        f"import sys, {name}\n"
        "print(*[one.__file__ for one in sys.modules.values() if getattr(one, '__file__', None)])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT / "tests",
        capture_output=True,
        text=True,
        check=True,
    )
    imported = {path for path in map(Path, done.stdout.split()) if path.is_relative_to(ROOT)}
    ours = {
        path
        for path in imported
        if path.parts[len(ROOT.parts)] in ("codemods", "compat", "runtime")
    }

    assert ours
    assert ours <= reached(f"{name}.py")


def test_a_change_of_what_is_reached_changes_the_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = ROOT / "tests" / "test_search_plan.py"
    before = stamps.digest(test)
    content = stamps._content

    def changed(path: Path) -> bytes:
        return content(path) + (b"#" if path in (RULE, TRAINING) else b"")

    monkeypatch.setattr(stamps, "_content", changed)

    assert (TRAINING in reached("test_search_plan.py")) == (stamps.digest(test) != before)
    assert stamps.digest(ROOT / "tests" / "test_run.py") != before
