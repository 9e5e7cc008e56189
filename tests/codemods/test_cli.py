"""The command line: quick, and honest about whose mistake it was."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pedl2det.commands.rules import command
from pedl2det.rules import RULES, Rule, every_rule
from support import EXAMPLES, SMALL_TRIAL, pedl2det, read_tree, write_tree


def test_help_names_every_command() -> None:
    shown = pedl2det("--help")

    assert shown.returncode == 0
    for name in ("migrate", "run", "verify", "rules"):
        assert f"  {name} " in shown.stdout


def test_a_misspelled_command_is_answered_with_the_nearest() -> None:
    near, far = pedl2det("migrat", "."), pedl2det("sing")

    assert near.returncode == far.returncode == 2
    assert near.stderr.splitlines()[-1].endswith(
        "No such command 'migrat'. Did you mean 'migrate'?"
    )
    assert far.stderr.splitlines()[-1].endswith("No such command 'sing'.")


def test_the_module_is_the_command() -> None:
    command = [sys.executable, "-m", "pedl2det", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stdout == pedl2det("--version").stdout


def loaded_by(*arguments: str) -> set[str]:
    code = (
        "import sys\nfrom pedl2det.cli import cli\n"
        f"try:\n    cli.main({list(arguments)!r})\nexcept SystemExit:\n    pass\n"
        "print('LOADED', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("LOADED ")[2].split())


def test_help_loads_no_rule_and_no_tensorflow() -> None:
    assert not {"libcst", "yaml", "tensorflow", "pydantic", "pedl2det_runtime"} & loaded_by("-h")


def test_migrating_loads_of_the_runtime_what_a_credential_is_and_no_more() -> None:
    loaded = loaded_by("migrate", "--check", str(EXAMPLES / "iris"))

    assert "libcst" in loaded
    assert not {"tensorflow", "numpy", "pydantic", "pedl"} & loaded
    ours = {name for name in loaded if name.startswith("pedl2det_runtime.")}
    assert ours <= {
        f"pedl2det_runtime.{one}"
        for one in ("config", "config.credentials", "config.keys", "stub_path")
    }


def shown(*arguments: str) -> str:
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False).output


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_is_shown_by_its_id_in_any_case_and_by_its_name(rule: Rule) -> None:
    assert shown(rule.id) == shown(rule.id.lower()) == shown(rule.name)
    assert shown(rule.id).startswith(f"{rule.id} {rule.name}\n\n{rule.doc}")
    assert shown(rule.id).endswith(rule.example)


def test_rules_are_listed_by_id() -> None:
    lines = shown().splitlines()

    assert lines == sorted(lines)
    assert len(lines) == len(every_rule())
    assert "C101  config-batch-size" in lines


def test_an_unknown_rule_is_named_with_those_near_it() -> None:
    assert shown("shell-line") == (
        "pedl2det: shell-line: no such rule: did you mean shell-lines? "
        "`pedl2det rules` lists them\n"
    )


def test_an_unknown_rule_is_wrong_use() -> None:
    done = pedl2det("rules", "P999")

    assert done.returncode == 2
    assert done.stderr == "pedl2det: P999: no such rule: `pedl2det rules` lists them\n"


def test_a_defect_of_ours_is_told_as_one(tmp_path: Path) -> None:
    code = (
        "import pedl2det.commands.migrate as m, pedl2det.cli as c, sys\n"
        "def broken(*_): raise RuntimeError('boom')\n"
        f"m.migrate = broken; sys.argv = ['pedl2det', 'migrate', {str(tmp_path)!r}]\n"
        "c.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 3
    assert "pedl2det: defect: RuntimeError: boom" in done.stderr
    assert "Please report it" in done.stderr


_TRAINING = (
    ("run", "T"),
    ("verify", "T"),
    ("migrate", "T", "--verify", "--force", "--report", "T/r.json"),
    ("search", "T"),
    ("eject", "T"),
    ("checkpoint", "show", "T"),
    ("checkpoint", "convert", "T", "new"),
)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ("sys.modules['numpy'] = sys.modules['pydantic'] = None",),
            r"training needs (numpy|pydantic), which is not installed: "
            r"pip install 'pedl2det\[run\]'",
        ),
        (
            (  # all but TensorFlow
                "from importlib import metadata",
                "def version(name): raise metadata.PackageNotFoundError(name)",
                "metadata.version = version",
            ),
            r"TensorFlow is not installed: pip install 'pedl2det\[run\]'",
        ),
    ],
    ids=["base", "tensorflow"],
)
def test_what_trains_says_what_is_not_installed(
    lines: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    if "None" not in lines[0]:
        pytest.importorskip("numpy")
        pytest.importorskip("fsspec")
    write_tree(tmp_path / "T", SMALL_TRIAL)
    before = read_tree(tmp_path)
    code = (
        "import sys, json\n",
        *(f"{line}\n" for line in lines),
        "from click.testing import CliRunner\n",
        "from pedl2det.cli import cli\n",
        f"done = [CliRunner().invoke(cli, words) for words in {_TRAINING}]\n",
        "print(json.dumps([[one.exit_code, one.output] for one in done]))",
    )
    done = subprocess.run(
        [sys.executable, "-c", "".join(code)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )

    for words, (exit_code, output) in zip(_TRAINING, json.loads(done.stdout), strict=True):
        assert re.fullmatch(rf"pedl2det: {message}\n", output), (words, output)
        assert exit_code == 2, words
    assert read_tree(tmp_path) == before


def test_modules_of_the_current_directory_do_not_stand_in_for_ours(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise SystemExit('the wrong click')\n")
    (tmp_path / "yaml.py").write_text("raise SystemExit('the wrong yaml')\n")

    assert pedl2det("migrate", EXAMPLES / "iris", "--check", cwd=tmp_path).returncode == 1
