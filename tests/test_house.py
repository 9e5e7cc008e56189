"""The house of the migration tool: each package depends only on those below it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pedl2det

HOUSE = Path(pedl2det.__file__).parent

#: From the bottom up, as CONTRIBUTING.md lists them. All may use the modules beside them.
PACKAGES = (
    "analysis",
    "support",
    "edits",
    "texts",
    "rules",
    "engine",
    "files",
    "report",
    "verify",
    "commands",
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


def test_every_package_has_its_place() -> None:
    assert {path.parent.name for path in HOUSE.glob("*/__init__.py")} == set(PACKAGES)


def packages_used(file: Path) -> Iterator[str]:
    """The packages from which a file imports, at its top or later."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            root, *parts = name.split(".")
            if root == "pedl2det" and parts and (HOUSE / parts[0]).is_dir():
                yield parts[0]
