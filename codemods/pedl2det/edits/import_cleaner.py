"""Drop the imports that edits made superfluous; put a name's new import in the old one's place."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import libcst as cst

from pedl2det.analysis.skipping import SKIP
from pedl2det.edits.comments import (
    Gone,
    comments_lost,
    is_gone,
    settled_block,
    without_blank,
)
from pedl2det.edits.import_statements import Import, Wanted, home, imported, local, statement_of

#: The nodes around import statements, and these themselves.
_AROUND_IMPORTS = (
    *(cst.Module, cst.BaseCompoundStatement, cst.IndentedBlock, cst.SimpleStatementLine),
    *(cst.SimpleStatementSuite, cst.Else, cst.ExceptHandler, cst.Finally, cst.MatchCase),
    *(cst.Import, cst.ImportFrom),
)


@functools.cache
def _is_around_imports(kind: type[cst.CSTNode]) -> bool:
    return issubclass(kind, _AROUND_IMPORTS)


class Cleaner(cst.CSTTransformer):
    """Drops imports.

    Args:
        had: the names that the old text used.
        has: the names that the new text uses.
        wanted: what the imports shall be.
        replaced: the new import of each local name.

    Attributes:
        present: the import statements of single names that stay, as :class:`Import` has them.
        old_at: the place in the module of the first import of the old API.
        old_lines: the lines above it.
        dropped_star: whether an ``import *`` went.
        dropped_block: whether ``if TYPE_CHECKING:`` went.
    """

    def __init__(
        self, had: set[str], has: set[str], wanted: Wanted, replaced: dict[str, Import]
    ) -> None:
        super().__init__()
        self._had = had
        self._has = has
        self._wanted = wanted
        self._replaced = replaced
        self._here: list[Import] = []  # those that go into the statement at hand
        self._is_rewritten = False  # whether a new import replaces a name of that statement
        self.present: set[str] = set()
        self.old_at: int | None = None
        self.old_lines: list[Any] = []
        self.dropped_star = False
        self.dropped_block = False

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Go into what may hold an import, and into nothing else."""
        if isinstance(node, cst.SimpleStatementLine):
            imports = any(isinstance(one, cst.Import | cst.ImportFrom) for one in node.body)
            return imports and not _is_skipped(node)
        return _is_around_imports(type(node)) and super().on_visit(node)

    def visit_Module(self, node: cst.Module) -> None:
        """Find the first import of the old API."""
        old = (at for at, one in enumerate(node.body) if any(map(self._is_harness, imported(one))))
        self.old_at = next(old, None)

    def _is_harness(self, name: str) -> bool:
        return self._wanted.is_harness(name)

    def leave_Import(self, original_node: cst.Import, updated_node: cst.Import) -> Any:
        """Drop names."""
        return self._moved(updated_node) or self._without(updated_node)

    def leave_ImportFrom(self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom) -> Any:
        """Drop names, and ``import *`` of an old API."""
        if not isinstance(updated_node.names, cst.ImportStar):
            return self._moved(updated_node) or self._without(updated_node)
        is_old = not updated_node.relative and self._wanted.is_old(f"{home(updated_node)}.x")
        if not is_old or self._wanted.keeps_stars:
            return updated_node
        self.dropped_star = True
        return cst.RemoveFromParent()

    def _without(self, node: Any) -> Any:
        kept = [alias for alias in node.names if self._stays(alias, home(node))]
        if len(kept) == len(node.names):
            return node
        if not kept:
            return cst.RemoveFromParent()
        is_open = bool(getattr(node, "lpar", None)) and len(kept) > 1
        comma = node.names[-1].comma if is_open else cst.MaybeSentinel.DEFAULT
        kept[-1] = kept[-1].with_changes(comma=comma)
        if isinstance(node, cst.ImportFrom) and not is_open:
            node = node.with_changes(lpar=None, rpar=None)
        return node.with_changes(names=kept)

    def _stays(self, alias: cst.ImportAlias, module: str | None) -> bool:
        """Whether an imported name stays; if a new import replaces it, take that."""
        name, wanted = local(alias), self._wanted
        meaning = alias.evaluated_name if module is None else f"{module}.{alias.evaluated_name}"
        new = self._replaced.get(name)
        if new is not None and statement_of(alias, module) not in wanted.added:
            self._is_rewritten = True
            is_near = wanted.group(meaning) == wanted.group(new.module)
            if is_near and not wanted.is_harness(meaning):
                self._here.append(new)
            return False
        is_old = wanted.is_old(meaning)
        if name not in self._has and (is_old or (name in self._had and not wanted.is_package)):
            return False
        self.present.add(statement_of(alias, module))
        return True

    def _moved(self, node: Any) -> Any:
        """The statement with another module, if all of its names come from one other place."""
        new = [
            one
            for alias in node.names
            if (one := self._replaced.get(local(alias))) is not None
            and statement_of(alias, home(node)) not in self._wanted.added
            and one.name is not None
            and one.statement not in self.present
        ]
        modules = {one.module for one in new}
        if len(new) != len(node.names) or len(modules) != 1 or new[0].module.startswith("."):
            return None
        self.present |= {one.statement for one in new}
        aliases = [one.alias(alias) for one, alias in zip(new, node.names, strict=True)]
        place: Any = cst.parse_expression(new[0].module)
        if isinstance(node, cst.ImportFrom):
            return node.with_changes(module=place, names=aliases, relative=[])
        return cst.ImportFrom(module=place, names=aliases)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> Any:
        """Put a name's new import in the place of the old one; keep the place of an empty line."""
        groups: dict[str, list[Import]] = {}
        for one in self._here:
            if one.statement not in self.present:
                groups.setdefault(one.module if one.name else one.statement, []).append(one)
        self.present |= {one.statement for one in self._here}
        is_rewritten, self._here, self._is_rewritten = self._is_rewritten, [], False
        lines = [_line(group) for group in groups.values()]
        if updated_node.body:
            lines.insert(0, updated_node)
        elif lines:
            trailing = updated_node.trailing_whitespace
            lines[0] = lines[0].with_changes(trailing_whitespace=trailing)
        else:
            lines = [cst.SimpleStatementLine([Gone()], leading_lines=updated_node.leading_lines)]
            if not is_rewritten:
                return lines[0]
        if lines == [original_node]:
            return updated_node
        above = [*updated_node.leading_lines, *comments_lost(original_node, lines)]
        lines[0] = lines[0].with_changes(leading_lines=above)
        return cst.FlattenSentinel(lines)

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> Any:
        """Drop ``if TYPE_CHECKING:`` when it holds nothing any more."""
        is_question = cst.Module([]).code_for_node(updated_node.test).endswith("TYPE_CHECKING")
        if not is_question or updated_node.orelse or not _is_empty(updated_node.body):
            return updated_node
        if _is_empty(original_node.body):
            return updated_node
        self.dropped_block = True
        return cst.SimpleStatementLine([Gone()], leading_lines=updated_node.leading_lines)

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        """Drop statements without names left; what follows keeps the distance to what precedes."""
        body: list[Any] = []
        waiting: list[Any] = []
        old_at = None
        for index, one in enumerate(updated_node.body):
            if index == self.old_at and is_gone(one):
                old_at, self.old_lines = len(body), list(one.leading_lines)
            elif index == self.old_at:  # the statement is still there, and has the lines
                old_at = len(body) + 1
            if is_gone(one):
                waiting = list(one.leading_lines) or waiting
                continue
            lines = _above(waiting, one)
            if not body and index and not updated_node.header:
                lines = without_blank(lines)
            body.append(one.with_changes(leading_lines=lines))
            waiting = []
        self.old_at = old_at
        return updated_node.with_changes(body=body)

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        """Drop statements without names left; keep the block valid."""
        return settled_block(updated_node, updated_node.body)


def _is_skipped(line: cst.SimpleStatementLine) -> bool:
    """Whether a comment asks to leave a line."""
    comment = line.trailing_whitespace.comment
    return comment is not None and SKIP.match(comment.value) is not None


def _line(group: Sequence[Import]) -> Any:
    """The statement that imports some names of one module."""
    first = group[0]
    if first.name is None:
        return cst.parse_statement(first.statement)
    parts = [one.statement.partition(" import ")[2] for one in group]
    return cst.parse_statement(f"from {first.module} import {', '.join(parts)}")


def _is_empty(block: Any) -> bool:
    body = getattr(block, "body", ())
    lines = [one for line in body for one in getattr(line, "body", ())]
    return len(lines) == 1 and isinstance(lines[0], cst.Pass)


def _above(waiting: Sequence[Any], statement: Any) -> list[Any]:
    """The lines above a statement, with those of the deleted ones in front of it."""
    own = list(statement.leading_lines)
    if own and all(line.comment is None for line in waiting):
        return own
    return [*waiting, *own]
