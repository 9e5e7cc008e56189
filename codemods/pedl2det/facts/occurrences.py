"""Every place of a file where a legacy name stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from pedl2det.facts.scopes import imported_as
from pedl2det.facts.source import Source
from pedl2det.tables.legacy import is_legacy


@dataclass(frozen=True)
class Occurrence:
    """One place where a legacy name stands.

    Attributes:
        source: the file.
        node: the import alias, or the longest dotted expression.
        name: what it means.
        ambiguous: whether it may also mean something else.
    """

    source: Source
    node: ast.expr | ast.alias
    name: str
    ambiguous: bool = False

    @property
    def is_skipped(self) -> bool:
        """Whether it stands on a line that the user wants left."""
        return self.node.lineno in self.source.skipped

    @property
    def is_import(self) -> bool:
        """Whether this is an import rather than a use."""
        return isinstance(self.node, ast.alias)

    @property
    def call(self) -> ast.Call | None:
        """The call of which this is the function, if it is called."""
        parent = self.source.names.parents.get(self.node)
        return parent if isinstance(parent, ast.Call) and parent.func is self.node else None

    @property
    def local(self) -> str:
        """The name of the file that an import binds, or with which an expression begins."""
        if isinstance(self.node, ast.alias):
            return self.node.asname or self.node.name.partition(".")[0]
        return self.root

    @property
    def root(self) -> str:
        """The local name with which an expression begins."""
        node: ast.AST = self.node
        while isinstance(node, ast.Attribute):
            node = node.value
        return node.id if isinstance(node, ast.Name) else ""


def occurrences(source: Source) -> Iterator[Occurrence]:
    """Every legacy name in a file: import aliases and the longest dotted expressions."""
    names = source.names
    for node in names.of(ast.Import, ast.ImportFrom, ast.Name, ast.Attribute):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if is_legacy(alias.name):
                    yield Occurrence(source, alias, alias.name)
        elif isinstance(node, ast.ImportFrom):
            from_old = not node.level and is_legacy(node.module or "")
            for alias in node.names:
                dotted = imported_as(node, alias)
                meant = dotted if from_old else names.follow(dotted)  # a sibling may export it
                if from_old or is_legacy(meant):
                    yield Occurrence(source, alias, meant)
        elif isinstance(node, ast.Name | ast.Attribute):
            if isinstance(names.parents.get(node), ast.Attribute):
                continue  # a part of a longer expression
            meanings = set(names.meanings(node))
            legacy = {name for name in meanings if name and is_legacy(name)}
            if legacy:
                yield Occurrence(source, node, min(legacy), ambiguous=len(meanings) > 1)
