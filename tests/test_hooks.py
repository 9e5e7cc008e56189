"""The hooks for pre-commit: one answers, one writes."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import yaml

from support import EXAMPLES, ROOT, pedl2det, read_tree, write_tree

HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}


def run(hook: str, directory: Path) -> int:
    """Run a hook as pre-commit does, with the command line of this tree."""
    command, *arguments = shlex.split(HOOKS[hook]["entry"])
    assert command == "pedl2det"
    return pedl2det(*arguments, *HOOKS[hook].get("args", []), cwd=directory).returncode


def old_trial(directory: Path) -> dict[str, bytes]:
    files = [path for path in (EXAMPLES / "iris").iterdir() if path.suffix in (".py", ".yaml")]
    write_tree(directory, {path.name: path.read_text() for path in files})
    return read_tree(directory)


def test_the_check_fails_on_an_old_trial_and_writes_nothing(tmp_path: Path) -> None:
    before = old_trial(tmp_path)

    assert run("pedl2det-check", tmp_path) == 1
    assert read_tree(tmp_path) == before


def test_the_other_rewrites_it_and_then_both_pass(tmp_path: Path) -> None:
    old_trial(tmp_path)

    assert run("pedl2det-migrate", tmp_path) == 0  # pre-commit fails by what was written

    migrated = read_tree(tmp_path)
    assert b"from determined.keras import" in migrated["model_def.py"]
    assert (run("pedl2det-migrate", tmp_path), run("pedl2det-check", tmp_path)) == (0, 0)
    assert read_tree(tmp_path) == migrated


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_fails_where_something_is_left(hook: str, tmp_path: Path) -> None:
    write_tree(tmp_path, {"submit.py": "import pedl\n\npedl.Experiment()\n"})

    assert run(hook, tmp_path) == 1


@pytest.mark.parametrize("hook", HOOKS.values(), ids=HOOKS)
def test_a_hook_sees_whole_trials(hook: dict[str, object]) -> None:
    """Some of a trial's files would be half of one."""
    assert (hook["language"], hook["pass_filenames"]) == ("python", False)
    assert hook["always_run"] and hook["require_serial"]
