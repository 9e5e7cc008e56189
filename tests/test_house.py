"""The houses of the migration tool and of the runtime: each room depends only on those below it."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import pedl2det
import pedl2det_legacy
import pedl2det_runtime

#: The rooms of each house from the bottom up, as CONTRIBUTING.md lists them. All may use the
#: modules beside them.
ROOMS = {
    Path(pedl2det.__file__).parent: (
        *("analysis", "support", "edits", "texts", "rules", "scripts", "engine", "files"),
        *("report", "terminal", "verify", "eject", "commands"),
    ),
    Path(pedl2det_runtime.__file__).parent: (
        *("errors", "config", "backends", "distributed", "data", "checkpoint", "api"),
        *("older_apis", "training", "search"),
    ),
}
each_house = pytest.mark.parametrize("house", ROOMS, ids=lambda house: house.name)


@each_house
def test_dependencies_point_one_way(house: Path) -> None:
    rooms = ROOMS[house]
    wrong = [
        f"{file.relative_to(house)} imports {used}"
        for room in rooms
        for file in sorted((house / room).rglob("*.py"))
        for used in rooms_used(file, house)
        if rooms.index(used) > rooms.index(room)
    ]

    assert wrong == []


@each_house
def test_every_room_has_its_place(house: Path) -> None:
    assert {path.parent.name for path in house.glob("*/__init__.py")} == set(ROOMS[house])


def test_the_runtime_knows_neither_pedl_nor_libcst() -> None:
    house = Path(pedl2det_runtime.__file__).parent
    used = {name.partition(".")[0] for file in house.rglob("*.py") for name in imports_of(file)}

    assert used.isdisjoint({"pedl", "pedl2det", "libcst"})


def test_the_code_of_old_behavior_needs_what_a_trial_has() -> None:
    """It is written into trials, so it may use nothing of ours."""
    used = {
        name.partition(".")[0]
        for file in Path(pedl2det_legacy.__file__).parent.glob("*.py")
        for name in imports_of(file)
    }

    allowed = {"determined", "numpy", "pedl2det_legacy", "tensorflow"}
    allowed |= {"pedl2det_names"}  # tables, which are written out
    allowed |= {"yaml"}  # which Determined brings
    allowed |= {"PIL", "pandas", "sklearn"}  # of functions that only trials with these call
    assert used - sys.stdlib_module_names <= allowed


def test_the_migration_tool_reads_the_code_of_old_behavior_and_never_imports_it() -> None:
    house = Path(pedl2det.__file__).parent
    used = {name.partition(".")[0] for file in house.rglob("*.py") for name in imports_of(file)}

    assert "pedl2det_legacy" not in used


def test_each_mutant_finds_the_code_that_it_breaks() -> None:
    root = Path(__file__).parent.parent
    mutants = tomllib.loads((root / "scripts" / "mutants.toml").read_text())["mutant"]

    assert [mutant["what"] for mutant in mutants if mutant["old"] not in _text(root, mutant)] == []
    tests = [test.partition("::")[0] for mutant in mutants for test in mutant["tests"]]
    assert [test for test in tests if not (root / test).exists()] == []


def _text(root: Path, mutant: dict[str, str]) -> str:
    path = root / mutant["file"]
    return path.read_text() if path.is_file() else ""


def rooms_used(file: Path, house: Path) -> Iterator[str]:
    """The rooms from which a file imports, at its top or later."""
    for name in imports_of(file):
        root, *parts = name.split(".")
        if root == house.name and parts and (house / parts[0]).is_dir():
            yield parts[0]


def imports_of(file: Path) -> Iterator[str]:
    """The dotted names that a file imports, at its top or later."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_each_piece_has_a_name_of_its_own() -> None:
    """All of them may be in one module."""
    files = Path(pedl2det_legacy.__file__).parent.glob("*.py")
    statements = [one for file in files for one in ast.parse(file.read_text()).body]
    kinds = ast.FunctionDef | ast.ClassDef
    found = Counter(one.name for one in statements if isinstance(one, kinds))

    assert [name for name, count in found.items() if count > 1] == []
