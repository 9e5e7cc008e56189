"""The packages depend on each other in one direction, as CONTRIBUTING.md draws it."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pedl2det

HOUSE = Path(pedl2det.__file__).parent

#: From the ground up, as CONTRIBUTING.md draws it; what stands in no package may be used by all.
PACKAGES = (
    *("support", "tables", "facts", "notebook", "script", "flow", "edit", "plan", "texts", "rules"),
    *("migrate", "files", "report", "verify", "commands"),
)


def test_dependencies_point_one_way() -> None:
    wrong = [
        f"{file.relative_to(HOUSE)} imports {used}"
        for file in sorted(HOUSE.rglob("*.py"))
        if file.parent != HOUSE
        for used in packages_used(file)
        if PACKAGES.index(used) > PACKAGES.index(file.relative_to(HOUSE).parts[0])
    ]

    assert wrong == []


#: What each distributed package may import. ``pedl2det`` imports the runtime and
#: ``pedl`` inside run and verify alone, and from the runtime what hides credentials.
MAY_IMPORT = {
    "pedl2det_names": set(),
    "pedl2det_runtime": set(),
    "pedl": {"pedl2det_runtime", "pedl2det_names"},
    "pedl2det": {"pedl2det_names", "pedl2det_runtime", "pedl"},
}


@pytest.mark.parametrize("package", sorted(MAY_IMPORT))
def test_a_package_imports_only_those_below_it(package: str) -> None:
    folder = Path(importlib.import_module(package).__file__ or "").parent
    wrong = [
        f"{file.relative_to(folder)} imports {name}"
        for file in sorted(folder.rglob("*.py"))
        if "stubs" not in file.parts
        for name in imported(file)
        if (root := name.partition(".")[0]) in MAY_IMPORT.keys() - MAY_IMPORT[package] - {package}
        or (package == "pedl2det_names" and root not in {package, *sys.stdlib_module_names})
    ]

    assert wrong == []


def test_every_package_has_its_floor() -> None:
    assert {path.parent.name for path in HOUSE.glob("*/__init__.py")} == set(PACKAGES)


def packages_used(file: Path) -> Iterator[str]:
    """The packages of ``pedl2det`` from which a file imports, at its top or later."""
    for name in imported(file):
        root, *parts = name.split(".")
        if root == "pedl2det" and parts and (HOUSE / parts[0]).is_dir():
            yield parts[0]


def imported(file: Path) -> Iterator[str]:
    """The dotted names that a file imports, at its top or later."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
