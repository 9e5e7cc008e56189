"""Code that migrate writes has no more type errors than the code that it read."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from pedl2det.engine import migrate
from pedl2det.files.write import write_all
from support import EXAMPLES

EXAMPLES_CHECKED = ("iris", "digits", "digits_keras_trial", "wine_two_outputs", "early_wine")
MYPY = (
    *(sys.executable, "-m", "mypy", "--ignore-missing-imports", "--follow-imports=skip"),
    *("--check-untyped-defs", "--no-incremental", "--no-error-summary", "--config-file="),
    *("--explicit-package-bases", "--namespace-packages", "--scripts-are-modules"),
)


def type_errors(root: Path) -> Counter[str]:
    """How many errors mypy finds in each example below a directory, all in one process."""
    files = [path.relative_to(root) for path in sorted(root.glob("*/*.py"))]
    done = subprocess.run([*MYPY, *map(str, files)], cwd=root, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return Counter(re.findall(r"^(\w+)/.*: error: ", done.stdout, re.MULTILINE))


@pytest.fixture
def originals(tmp_path: Path) -> Path:
    for name in EXAMPLES_CHECKED:
        ignored = shutil.ignore_patterns("data", "__pycache__")
        shutil.copytree(EXAMPLES / name, tmp_path / "old" / name, ignore=ignored)
    return tmp_path / "old"


def test_migrated_examples_have_no_more_type_errors(originals: Path, tmp_path: Path) -> None:
    migrated = Path(shutil.copytree(originals, tmp_path / "new"))
    result = migrate([migrated])
    assert [one.status.is_finished for one in result.outcomes] == [True] * len(EXAMPLES_CHECKED)
    write_all(result.files)

    before, after = type_errors(originals), type_errors(migrated)

    assert after <= before


def test_an_error_of_types_would_be_seen(originals: Path) -> None:
    with (originals / "iris" / "data.py").open("a") as file:
        file.write("\nWRONG: int = 'text'\n")

    assert type_errors(originals)["iris"] >= 1
