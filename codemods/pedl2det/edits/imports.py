"""Bring the imports of a rewritten file in line with what its new text uses."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from pedl2det.analysis.source import Source, lines_of, newline_of
from pedl2det.edits.comments import FOR_TOOLS
from pedl2det.edits.import_places import LONGEST, reads, with_import
from pedl2det.edits.import_statements import (
    Import,
    Wanted,
    imported,
    local,
    module_of,
    statement_of,
)
from pedl2det.edits.undefined import undefined

__all__ = ["Wanted", "fitted"]

_TYPE_COMMENT = re.compile(r"#[ \t]*type:(?![ \t]*ignore)(.+)")
_Statement = ast.Import | ast.ImportFrom


def fitted(old: Source, new: Source, wanted: Wanted) -> str:
    """The new text with imports for all that it uses and without those that only the old one used.

    Args:
        old: the file before the edits.
        new: the file after them.
        wanted: what the imports shall be.
    """
    has = _used_names(new)
    added = [one for one in map(Import.of, sorted(wanted.added)) if one.local in has]
    added.sort(key=lambda one: not one.module.startswith("determined"))  # old places first
    cleaner = _Cleaner(_used_names(old), has, wanted, added)
    text = cleaner.cleaned(new)
    for one in added:
        if one.statement not in cleaner.present:
            text = with_import(text, one, wanted)
    if cleaner.dropped_star and not wanted.keeps_stars and undefined(text):
        return fitted(old, new, replace(wanted, keeps_stars=True))
    if cleaner.dropped_block:
        return fitted(old, Source.of(new.path, text), wanted)  # what only the block needed goes too
    return text if text.strip() else ""


def _used_names(source: Source) -> set[str]:
    """The names that a file reads, in string annotations, type comments and ``__all__`` too."""
    comments = _TYPE_COMMENT.findall(source.text)
    found = {name for types in comments for name in re.findall(r"[^\W\d]\w*", types)}
    reads = source.names.of(ast.Name)
    found.update(one.id for one in reads if not isinstance(one.ctx, ast.Store))
    for one in source.names.of(ast.Constant):
        if isinstance(one.value, str):
            found |= _names_in_string(one.value)
    return found


def _names_in_string(text: str) -> set[str]:
    is_code = text.isidentifier() or "." in text or "[" in text
    if not is_code or len(text) > 200:
        return set()
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return set()
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


class _Cleaner:
    """Drops imports, and puts a name's new import in the old one's place.

    Args:
        had: the names that the old text used.
        has: the names that the new text uses.
        wanted: what the imports shall be.
        added: the new imports.

    Attributes:
        present: the import statements of single names that stay.
        dropped_star: whether an ``import *`` went.
        dropped_block: whether ``if TYPE_CHECKING:`` went.
    """

    def __init__(self, had: set[str], has: set[str], wanted: Wanted, added: list[Import]) -> None:
        self._had = had
        self._has = has
        self._wanted = wanted
        self._added = added
        self._replaced = {one.local: one for one in added}
        self.present: set[str] = set()
        self.dropped_star = False
        self.dropped_block = False
        #: The new lines of statements, those that a new import replaces, and in whose place
        #: the first import of Determined comes.
        self._made: dict[_Statement, list[str]] = {}
        self._rewritten: set[ast.AST] = set()
        self._placed: set[ast.AST] = set()

    def cleaned(self, source: Source) -> str:
        """The text without superfluous imports."""
        self._lines = lines_of(source.text)
        self._newline = newline_of(source.text)
        if is_open := not source.text.endswith(("\n", "\r")):
            self._lines[-1:] = [line + self._newline for line in self._lines[-1:]]
        for node in source.names.of(ast.Import, ast.ImportFrom):
            if node.lineno not in source.skipped and _end(node) not in source.skipped:
                self._clean(node)
        self._keep_old_place(source.tree)
        text = self._written(source)
        return text.removesuffix(self._newline) if is_open else text

    # What becomes of each statement: its new lines; none if it goes.

    def _clean(self, node: _Statement) -> None:
        """Decide on a statement."""
        if node.names[0].name == "*":
            is_old = not node.level and self._wanted.is_old(f"{module_of(node)}.x")  # type: ignore[union-attr,arg-type]
            if is_old and not self._wanted.keeps_stars:
                self.dropped_star = True
                self._made[node] = []
            return
        new = [self._instead(alias, node) for alias in node.names]
        modules = {one.module if one and one.name else None for one in new}
        is_moved = len(modules) == 1 and None not in modules
        kept, here = [], []
        for alias, one in zip(node.names, new, strict=True):
            if one is None and self._stays(alias, node):
                kept.append(Import.of(statement_of(alias, node)))
            elif one is not None:
                self._rewritten.add(node)
                if is_moved or self._is_near(alias, node, one):
                    here += [one] if one.statement not in self.present else []
        self.present |= {one.statement for one in (*kept, *here)}
        if len(kept) < len(node.names) or here:
            self._made[node] = [*self._joined(kept), *self._joined(here)]

    def _joined(self, names: list[Import]) -> list[str]:
        """The statements that import some names, each module's in one."""
        modules: dict[str, list[str]] = {}
        for one in names:
            modules.setdefault(one.module if one.name else one.statement, []).append(one.alias)
        found = []
        for module, aliases in modules.items():
            line = f"from {module} import {', '.join(aliases)}"
            if module.startswith("import "):
                line = module
            elif len(line) > LONGEST:
                apart = "".join(f"    {one},{self._newline}" for one in aliases)
                line = f"from {module} import ({self._newline}{apart})"
            found.append(line)
        return found

    def _instead(self, alias: ast.alias, node: _Statement) -> Import | None:
        """The new import of the name that an old one binds."""
        is_new = statement_of(alias, node) in self._wanted.added
        return None if is_new else self._replaced.get(local(alias))

    def _is_near(self, alias: ast.alias, node: _Statement, new: Import) -> bool:
        """Whether a new import is of the group of the old one, and takes its place."""
        meaning, wanted = _meaning(alias, node), self._wanted
        is_same = wanted.group(meaning) == wanted.group(new.module)
        return is_same and not wanted.is_harness(meaning)

    def _stays(self, alias: ast.alias, node: _Statement) -> bool:
        name = local(alias)
        is_old = self._wanted.is_old(_meaning(alias, node))
        is_left = is_old or (name in self._had and not self._wanted.is_package)
        return name in self._has or not is_left

    def _keep_old_place(self, tree: ast.Module) -> None:
        """Put the first import of Determined where the first one of the old API stood."""
        new = [one for one in self._added if one.module.startswith("determined")]
        missing = [one for one in new if one.statement not in self.present]
        old = next(
            (one for one in tree.body if any(map(self._wanted.is_harness, imported(one)))), None
        )
        is_there = any(Import.of(one).module.startswith("determined") for one in self.present)
        if not missing or old is None or old not in self._made or is_there:
            return
        if not any(reads(node, missing[0].local) for node in tree.body[: tree.body.index(old)]):
            self._placed |= {old} if not self._made[old] else set()
            self._made[old] += [missing[0].statement]
            self.present.add(missing[0].statement)

    # The new text, from the last statement to the first.

    def _written(self, source: Source) -> str:
        for node in sorted(self._made, key=lambda one: (-one.lineno, -one.col_offset)):
            parent = source.names.parents[node]
            body = _body_of(source, node)
            is_emptied = all(map(self._is_gone, body))
            if not is_emptied or isinstance(parent, ast.Module):
                self._write(node, self._made[node], body)
            elif not _is_guard(parent):
                self._write(node, ["pass"] if node is body[0] else [], body)
            elif node is body[0]:
                self.dropped_block = True
                assert isinstance(parent, ast.If)
                self._delete(parent, _body_of(source, parent))
        return "".join(self._lines)

    def _is_gone(self, node: ast.stmt) -> bool:
        return isinstance(node, _Statement) and self._made.get(node) == []

    def _write(self, node: _Statement, new: list[str], body: list[ast.stmt]) -> None:
        """Put new statements in the place of one."""
        first, last = node.lineno - 1, _end(node)
        head = self._lines[first].encode()[: node.col_offset].decode()
        tail = self._lines[last - 1].encode()[node.end_col_offset :].decode()
        if head.strip() or not re.fullmatch(r"[ \t]*(?:#.*)?[\r\n]+", tail):
            self._lines[first:last] = [_beside(head, new, tail)]
            return
        comments = re.findall(r"#[^\r\n]*", "".join(self._lines[first:last]))
        is_placed = node in self._placed
        trailing = "" if is_placed or not new else tail.rstrip()
        lost = [
            one
            for one in comments
            if not one.startswith(FOR_TOOLS)
            if (new and not is_placed) or node in self._rewritten
            if one not in trailing and not any(one in line for line in new)
        ]
        if not new and not lost:
            self._delete(node, body)
            return
        lines = [*lost, *(f"{one}{trailing if one is new[0] else ''}" for one in new)]
        made = [f"{head}{one}{self._newline}" for one in lines]
        after = body[body.index(node) + 1 :][:1]
        is_divided = first > 0 and not self._lines[first - 1].strip()
        if is_placed and is_divided and after and self._wanted.group_of(after[0]) != 1:
            made += [] if not self._lines[last].strip() else [self._newline]
        self._lines[first:last] = made

    def _delete(self, node: ast.stmt, body: list[ast.stmt]) -> None:
        """Remove a statement; what follows keeps the distance to what precedes."""
        index, first, last = body.index(node), node.lineno - 1, _end(node)
        above, below = first, last
        top = _end(body[index - 1]) if index else 0
        while above > top and _is_free(self._lines[above - 1]):
            above -= 1
        while below < len(self._lines) and _is_free(self._lines[below]):
            below += 1
        before, after = self._lines[above:first], self._lines[last:below]
        has_comments = any(line.strip() for line in before)
        if all(self._is_gone(one) for one in body[index + 1 :]):
            before = [line for line in before if line.strip()]
        elif index and after and not has_comments:
            before = []
        elif not index and not has_comments:
            before = []
            while after and not after[0].strip():
                after.pop(0)
        self._lines[above:below] = [*before, *after]


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _is_free(line: str) -> bool:
    """Whether a line is blank or a comment."""
    return not line.strip() or line.lstrip().startswith("#")


def _is_guard(node: ast.AST) -> bool:
    is_if = isinstance(node, ast.If) and not node.orelse
    return is_if and ast.unparse(node.test).endswith("TYPE_CHECKING")  # type: ignore[attr-defined]


def _body_of(source: Source, node: ast.stmt) -> list[ast.stmt]:
    """The statements among which a statement is."""
    parent = source.names.parents[node]
    parts = (getattr(parent, name, []) for name in ("body", "orelse", "finalbody"))
    return next(part for part in parts if isinstance(part, list) and node in part)


def _meaning(alias: ast.alias, node: _Statement) -> str:
    return f"{module_of(node)}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name


def _beside(head: str, new: list[str], tail: str) -> str:
    """A line on which statements are beside each other, with new ones in the place of one."""
    if new:
        return head + "; ".join(new) + tail
    if tail.lstrip().startswith(";"):
        return head + tail.lstrip()[1:].lstrip(" \t")
    return (
        head.rstrip().removesuffix(";") + tail
        if head.rstrip().endswith(";")
        else head + "pass" + tail
    )
