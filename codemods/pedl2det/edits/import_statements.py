"""Read import statements, and say which group of imports they belong to."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Wanted:
    """What the imports of a new text shall be.

    Attributes:
        added: import statements that the new code needs, one name each.
        is_old: whether a dotted name belongs to an API that is gone.
        is_harness: whether it belongs to the API of PEDL or Determined.
        project: the top names of the project's own modules.
        is_package: whether the file is an ``__init__.py``, whose imports are exports.
        keeps_stars: whether ``import *`` of an old API stays, since something still needs it.
    """

    added: frozenset[str]
    is_old: Callable[[str], bool]
    is_harness: Callable[[str], bool]
    project: frozenset[str]
    is_package: bool = False
    keeps_stars: bool = False

    def group(self, module: str) -> int:
        """Return the group of a module: standard library, third parties, project."""
        top = module.lstrip(".").partition(".")[0]
        if module.startswith(".") or top in self.project or top == "legacy_keras":
            return 2
        return 0 if top in sys.stdlib_module_names else 1

    def group_of(self, statement: ast.AST | None) -> int | None:
        """Return the group of an import statement; None for any other statement."""
        names = imported(statement)
        return self.group(names[0].rpartition(".")[0] or names[0]) if names else None


@dataclass(frozen=True)
class Import:
    """One imported name: ``from module import name as local`` or ``import module as local``."""

    module: str
    name: str | None
    local: str
    statement: str

    @classmethod
    def of(cls, statement: str) -> Import:
        """Read a statement that imports one name."""
        node = ast.parse(statement).body[0]
        assert isinstance(node, ast.Import | ast.ImportFrom)
        alias = node.names[0]
        if isinstance(node, ast.ImportFrom):
            return cls(module_of(node), alias.name, local(alias), statement)
        return cls(alias.name, None, local(alias), statement)

    @property
    def alias(self) -> str:
        """The name as a part of a statement."""
        return f"{self.name}" if self.local == self.name else f"{self.name} as {self.local}"


def imported(statement: ast.AST | None) -> list[str]:
    """The dotted names that a statement imports; empty if it is no import."""
    if isinstance(statement, ast.ImportFrom):
        return [f"{module_of(statement)}.{alias.name}" for alias in statement.names]
    return [alias.name for alias in statement.names] if isinstance(statement, ast.Import) else []


def module_of(node: ast.ImportFrom) -> str:
    """The module of which a statement imports names, with its dots."""
    return "." * node.level + (node.module or "")


def local(alias: ast.alias) -> str:
    """The name that an import binds."""
    return alias.asname or alias.name.partition(".")[0]


def statement_of(alias: ast.alias, node: ast.Import | ast.ImportFrom) -> str:
    """The import of one name alone, as :class:`Import` has it."""
    as_part = f" as {alias.asname}" if alias.asname else ""
    start = f"from {module_of(node)} import" if isinstance(node, ast.ImportFrom) else "import"
    return f"{start} {alias.name}{as_part}"
