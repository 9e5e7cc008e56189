"""The project is what is copied: all that a trial imports or reads around its directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det.verify import copies
from pedl2det.verify.copies import extent_of, missing_paths
from support import SMALL_TRIAL, write_tree


def project(tmp_path: Path, line: str, **more: str) -> Path:
    """A trial with a line of code, beside other folders."""
    files = {f"p/trial/{name}": text for name, text in SMALL_TRIAL.items()}
    files |= {"p/data/x.csv": "1\n", "p/shared/a.py": "", "p/other/b.py": "", "far.txt": ""}
    files["p/trial/data.py"] += line + "\n"
    return write_tree(tmp_path, files | more) / "p" / "trial"


NAMES_DATA = [
    "DATA = '../data/x.csv'",
    "def f(name): return open(f'../data/{name}')",
    "P = '../data/%s.csv' % 1",
    "import os\nD = os.path.join(os.path.dirname(__file__), '..', 'data', 'x.csv')",
    "from os import path\nHERE = path.dirname(path.abspath(__file__))\nD = HERE + '/../data'",
    "import os\nD = os.path.join(os.getcwd(), '..', 'data')",
]


@pytest.mark.parametrize("line", NAMES_DATA)
def test_a_path_that_leads_upwards_is_found(tmp_path: Path, line: str) -> None:
    home = project(tmp_path, line)

    assert extent_of(home).paths == (home.parent,)


@pytest.mark.parametrize("line", NAMES_DATA[:3])
def test_of_a_large_parent_only_what_is_named_is_copied(
    tmp_path: Path, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = project(tmp_path, line)
    monkeypatch.setattr(copies, "MOST_FILES", 4)  # as many as the trial has, and one more

    found = extent_of(home)

    assert found.root == home.parent
    assert found.paths in (
        (home.parent / "data", home),
        (home.parent / "data" / "x.csv", home),
    )


@pytest.mark.parametrize(
    "line",
    [
        "D = 'data/x.csv'",
        "D = '/data/x.csv'",
        "'See ../data for more.'",
        "D = '../missing/x.csv'",
        "import os\nD = os.path.join(os.path.dirname(__file__), 'data')",
        "D = '../trial/data.py'",
        "D = '../" + "x" * 400 + "'",
    ],
)
def test_otherwise_the_trial_is_copied_alone(tmp_path: Path, line: str) -> None:
    home = project(tmp_path, line)

    assert extent_of(home).paths == (home,)


def test_a_path_in_the_config_is_found(tmp_path: Path) -> None:
    home = project(tmp_path, "")
    config = home / "const.yaml"
    config.write_text(config.read_text() + "data: {path: ../data}\n")

    assert extent_of(home).paths == (home.parent,)


def test_a_broken_link_beside_the_configs_is_no_config(tmp_path: Path) -> None:
    home = project(tmp_path, "")
    (home / "old.yaml").symlink_to(tmp_path / "gone.yaml")

    assert extent_of(home).paths == (home,)


def test_a_relative_import_of_a_module_above_is_found(tmp_path: Path) -> None:
    home = project(tmp_path, "from ..shared import a", **{"p/shared/__init__.py": ""})

    assert extent_of(home).root == home.parent


def test_files_that_a_run_missed_are_found_by_its_error(tmp_path: Path) -> None:
    home = project(tmp_path, "")
    copy = tmp_path / "scratch" / "old" / "trial"

    def missing(message: str) -> list[Path]:
        return missing_paths(message, copy, extent_of(home))

    at = copy / "data.py"
    assert missing(f"{at}:3: FileNotFoundError: [Errno 2] No such file: '../data/x.csv'") == [
        home.parent / "data" / "x.csv"
    ]
    assert missing(f"OSError: {copy.parent}/data/x.csv not found") == [
        home.parent / "data" / "x.csv"
    ]
    assert missing("ModuleNotFoundError: No module named 'shared.a'") == [home.parent / "shared"]
    assert missing("FileNotFoundError: '../nothing/x.csv'") == []
