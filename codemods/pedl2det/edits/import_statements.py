"""Read import statements, and say which group of imports they belong to."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import libcst as cst


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

    def group_of(self, statement: Any) -> int | None:
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
            module = "." * node.level + (node.module or "")
            return cls(module, alias.name, alias.asname or alias.name, statement)
        return cls(alias.name, None, alias.asname or alias.name.partition(".")[0], statement)

    def alias(self, like: cst.ImportAlias | None = None) -> cst.ImportAlias:
        """The name as a part of a statement; in the place of another, it keeps its layout."""
        name = cst.Name(self.name or "")
        old = like or cst.ImportAlias(name)
        new = None if self.local == self.name else cst.AsName(cst.Name(self.local))
        return old.with_changes(name=name, asname=new and (old.asname or new))


def imported(statement: Any) -> list[str]:
    """The dotted names that a statement imports; empty if it is no import."""
    match statement:
        case cst.SimpleStatementLine(body=[cst.Import(names=names), *_]):
            return [alias.evaluated_name for alias in names]
        case cst.SimpleStatementLine(body=[cst.ImportFrom(names=cst.ImportStar()) as node, *_]):
            return [f"{home(node)}.*"]
        case cst.SimpleStatementLine(body=[cst.ImportFrom(names=names) as node, *_]):
            return [f"{home(node)}.{alias.evaluated_name}" for alias in names]  # type: ignore[union-attr]
    return []


def home(node: cst.Import | cst.ImportFrom) -> str | None:
    """The module of which a statement imports names, with its dots."""
    if isinstance(node, cst.Import):
        return None
    return "." * len(node.relative) + dotted(node.module)


def dotted(node: Any) -> str:
    """The text of a dotted name."""
    if isinstance(node, cst.Attribute):
        return f"{dotted(node.value)}.{node.attr.value}"
    return str(node.value) if node is not None else ""


def local(alias: cst.ImportAlias) -> str:
    """The name that an import binds."""
    return alias.evaluated_alias or alias.evaluated_name.partition(".")[0]


def statement_of(alias: cst.ImportAlias, module: str | None) -> str:
    """The import of one name alone, as :class:`Import` has it."""
    as_part = f" as {local(alias)}" if alias.asname else ""
    start = f"from {module} import" if module is not None else "import"
    return f"{start} {alias.evaluated_name}{as_part}"
