"""Bring the imports of a rewritten file in line with what its new text uses."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst

_MODULE = cst.Module([])


@dataclass(frozen=True)
class Wanted:
    """What the imports of a new text shall be.

    Attributes:
        added: import statements that the new code needs, one name each.
        is_old: whether a dotted name belongs to an API that is gone.
        project: the top names of the project's own modules.
        is_package: whether the file is an ``__init__.py``, whose imports are exports.
    """

    added: frozenset[str]
    is_old: Callable[[str], bool]
    project: frozenset[str]
    is_package: bool = False


def fitted(old: str, new: str, wanted: Wanted) -> str:
    """The new text with imports for all that it uses and without those that only the old one used.

    Args:
        old: the text before the edits.
        new: the text after them.
        wanted: what the imports shall be.
    """
    had, has = _used_names(old), _used_names(new)
    added = [_Import.of(one) for one in sorted(wanted.added)]
    added = [one for one in added if one.local in has]
    tree = cst.parse_module(new)
    cleaner = _Cleaner(had, has, wanted, {one.local: one for one in added})
    tree = tree.visit(cleaner)  # type: ignore[assignment]
    for one in added:
        if one.statement not in cleaner.present:
            tree = _with_import(tree, one, wanted, cleaner.old_at)
    return tree.code


@dataclass(frozen=True)
class _Import:
    """One imported name: ``from module import name as local`` or ``import module as local``."""

    module: str
    name: str | None
    local: str
    statement: str

    @classmethod
    def of(cls, statement: str) -> _Import:
        node = ast.parse(statement).body[0]
        if isinstance(node, ast.ImportFrom):
            alias = node.names[0]
            return cls(node.module or "", alias.name, alias.asname or alias.name, statement)
        assert isinstance(node, ast.Import)
        alias = node.names[0]
        local = alias.asname or alias.name.partition(".")[0]
        return cls(alias.name, None, local, statement)


def _used_names(text: str) -> set[str]:
    """The names that a text reads, in string annotations and ``__all__`` too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value.isidentifier() or "." in node.value or "[" in node.value:
                found |= _names_in_string(node.value)
    return found


def _names_in_string(text: str) -> set[str]:
    if len(text) > 200:
        return set()
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return set()
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


class _Cleaner(cst.CSTTransformer):
    """Drops imports that the edits made superfluous."""

    def __init__(
        self, had: set[str], has: set[str], wanted: Wanted, replaced: dict[str, _Import]
    ) -> None:
        super().__init__()
        self._had = had
        self._has = has
        self._wanted = wanted
        #: The new import of each local name, and those that go into the statement at hand.
        self._replaced = replaced
        self._here: list[_Import] = []
        #: The import statements of single names that stay, as :class:`_Import` writes them.
        self.present: set[str] = set()
        #: The place in the module of the first import of the old API.
        self.old_at: int | None = None

    def visit_Module(self, node: cst.Module) -> None:
        for index, statement in enumerate(node.body):
            if self.old_at is None and any(
                self._wanted.is_old(dotted) for dotted in _imported(statement)
            ):
                self.old_at = index

    def leave_Import(self, original_node: cst.Import, updated_node: cst.Import) -> Any:
        return self._without(updated_node, [_dotted(one.name) for one in updated_node.names], None)

    def leave_ImportFrom(self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom) -> Any:
        if isinstance(updated_node.names, cst.ImportStar):
            home = _dotted(updated_node.module) if updated_node.module else ""
            is_old = not updated_node.relative and self._wanted.is_old(f"{home}.x")
            return cst.RemoveFromParent() if is_old else updated_node
        home = "." * len(updated_node.relative)
        home += _dotted(updated_node.module) if updated_node.module else ""
        dotted = [f"{home}.{_dotted(one.name)}" for one in updated_node.names]
        return self._without(updated_node, dotted, home)

    def _without(self, node: Any, dotted: list[str], home: str | None) -> Any:
        kept = []
        start = f"from {home} import" if home is not None else "import"
        for alias, meaning in zip(node.names, dotted, strict=True):
            local = _local(alias)
            statement = f"{start} {_dotted(alias.name)}" + (f" as {local}" if alias.asname else "")
            new = self._replaced.get(local)
            if new is not None and new.statement != statement and not self._wanted.is_old(meaning):
                self._here.append(new)
                continue
            is_old = self._wanted.is_old(meaning)
            unused = local not in self._has
            once_used = local in self._had or is_old
            goes = unused and once_used and not (self._wanted.is_package and not is_old)
            if goes or is_old and local in self._replaced:
                continue
            kept.append(alias)
            self.present.add(statement)
        if len(kept) == len(node.names):
            return node
        if not kept:
            return cst.RemoveFromParent()
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        if getattr(node, "lpar", None) and len(kept) == 1:
            node = node.with_changes(lpar=None, rpar=None)
        elif getattr(node, "lpar", None):
            kept[-1] = kept[-1].with_changes(comma=node.names[-1].comma)
        return node.with_changes(names=kept)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> Any:
        """Put a new import of a name in the place of the old one."""
        if not self._here:
            return updated_node
        groups: dict[str, list[_Import]] = {}
        for one in self._here:
            groups.setdefault(one.module if one.name else one.statement, []).append(one)
        self.present |= {one.statement for one in self._here}
        self._here = []
        lines = [_line(group) for group in groups.values()]
        if updated_node.body:
            return cst.FlattenSentinel([updated_node, *lines])
        lines[0] = lines[0].with_changes(
            leading_lines=updated_node.leading_lines,
            trailing_whitespace=updated_node.trailing_whitespace,
        )
        return cst.FlattenSentinel(lines)

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        body = [
            one
            for one in updated_node.body
            if not (isinstance(one, cst.SimpleStatementLine) and not one.body)
        ]
        return updated_node.with_changes(body=body)

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        if updated_node.body:
            return updated_node
        return updated_node.with_changes(body=[cst.SimpleStatementLine([cst.Pass()])])


def _line(group: Sequence[_Import]) -> Any:
    """The statement that imports some names of one module."""
    first = group[0]
    if first.name is None:
        return cst.parse_statement(first.statement)
    parts = [one.statement.partition(" import ")[2] for one in group]
    return cst.parse_statement(f"from {first.module} import {', '.join(parts)}")


def _with_import(tree: cst.Module, one: _Import, wanted: Wanted, old_at: int | None) -> cst.Module:
    """The module with one more imported name, in the group where it belongs."""
    merged = _merged(tree, one)
    if merged is not None:
        return merged
    body = list(tree.body)
    kind = _kind(one.module, wanted.project)
    line = cst.parse_statement(one.statement)
    at = _place(body, kind, one, wanted, old_at)
    if at == 0 and body:
        first = body[0]
        header = getattr(first, "leading_lines", ())
        if not _imported(first) and not (header and header[0].comment is None):
            body[0] = first.with_changes(leading_lines=[cst.EmptyLine(indent=False), *header])
    elif at > 0 and at < len(body) + 1:
        line = _separated(body, at, line, kind, wanted)
    body.insert(at, line)
    return tree.with_changes(body=body)


def _separated(body: list[Any], at: int, line: Any, kind: int, wanted: Wanted) -> Any:
    """Put a blank line between the groups of imports, and take over those in front of the next."""
    before = body[at - 1]
    imported = _imported(before)
    if not imported or _kind(imported[0].rpartition(".")[0] or imported[0], wanted.project) != kind:
        line = line.with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    if at < len(body) and _is_first_of(kind, body[at], wanted):
        line = line.with_changes(leading_lines=body[at].leading_lines)
        body[at] = body[at].with_changes(leading_lines=[])
    if at < len(body) and not _imported(body[at]):
        following = body[at]
        lines = list(getattr(following, "leading_lines", ()))
        if not lines or lines[0].comment is not None:
            body[at] = following.with_changes(leading_lines=[cst.EmptyLine(indent=False), *lines])
    return line


def _is_first_of(kind: int, statement: Any, wanted: Wanted) -> bool:
    """Whether a statement begins a group of imports of a kind, with blank lines alone above it."""
    imported = _imported(statement)
    lines = getattr(statement, "leading_lines", ())
    return (
        bool(imported and lines)
        and all(one.comment is None for one in lines)
        and _kind(imported[0].rpartition(".")[0] or imported[0], wanted.project) == kind
    )


def _merged(tree: cst.Module, one: _Import) -> cst.Module | None:
    """The name added to an import of the same module that stands on one line."""
    if one.name is None:
        return None
    body = list(tree.body)
    for index, statement in enumerate(body):
        if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
            continue
        node = statement.body[0]
        if (
            isinstance(node, cst.ImportFrom)
            and not node.relative
            and node.module is not None
            and not isinstance(node.names, cst.ImportStar)
            and _dotted(node.module) == one.module
        ):
            asname = None
            if one.local != one.name:
                asname = cst.AsName(cst.Name(one.local))
            new = cst.ImportAlias(cst.Name(one.name), asname=asname)
            names = list(node.names)
            at = sum(_dotted(alias.name) < one.name for alias in names)
            if at == len(names):
                comma = names[-1].comma
                if isinstance(comma, cst.Comma):
                    new = new.with_changes(comma=comma)
                names[-1] = names[-1].with_changes(comma=_comma_like(names))
            else:
                new = new.with_changes(comma=_comma_like(names))
            names.insert(at, new)
            changed = statement.with_changes(body=[node.with_changes(names=names)])
            text = _MODULE.code_for_node(changed.with_changes(leading_lines=[])).strip()
            if "\n" not in text and len(text) > 100:
                return None
            body[index] = changed
            return tree.with_changes(body=body)
    return None


def _comma_like(names: Sequence[cst.ImportAlias]) -> cst.Comma:
    """A comma between two names, with the line break that the file's own have."""
    for alias in names[:-1]:
        if isinstance(alias.comma, cst.Comma):
            return alias.comma
    return cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def _place(body: Sequence[Any], kind: int, one: _Import, wanted: Wanted, old_at: int | None) -> int:
    """Where a new import statement stands among the statements of a module."""
    lines = [
        (index, _kind(found[0].rpartition(".")[0] or found[0], wanted.project))
        for index, statement in enumerate(body)
        if (found := _imported(statement)) and found[0].partition(".")[0] != "__future__"
    ]
    same = [index for index, other in lines if other == kind]
    if same:
        for index in same:
            if _sort_key(body[index]) > _sort_key(cst.parse_statement(one.statement)):
                return index
        return same[-1] + 1
    if old_at is not None and kind == 1:
        return min(old_at, len(body))
    earlier = [index for index, other in lines if other < kind]
    if earlier:
        return earlier[-1] + 1
    if lines:
        return lines[0][0]
    return _after_head(body)


def _after_head(body: Sequence[Any]) -> int:
    """The place after the docstring and ``from __future__`` imports."""
    at = 0
    for index, statement in enumerate(body):
        if not isinstance(statement, cst.SimpleStatementLine):
            break
        first = statement.body[0]
        is_docstring = index == 0 and isinstance(first, cst.Expr)
        if is_docstring or "__future__" in "".join(_imported(statement)):
            at = index + 1
        else:
            break
    return at


def _sort_key(statement: Any) -> tuple[int, str]:
    node = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if isinstance(node, cst.ImportFrom):
        return 1, _dotted(node.module) if node.module else ""
    return 0, (_imported(statement) or [""])[0]


def _kind(module: str, project: Iterable[str]) -> int:
    top = module.lstrip(".").partition(".")[0]
    if module.startswith(".") or top in project or top == "legacy_keras":
        return 2
    return 0 if top in sys.stdlib_module_names else 1


def _imported(statement: Any) -> list[str]:
    """The dotted names that a statement imports; empty if it is no import."""
    if not isinstance(statement, cst.SimpleStatementLine) or not statement.body:
        return []
    node = statement.body[0]
    if isinstance(node, cst.Import):
        return [_dotted(alias.name) for alias in node.names]
    if isinstance(node, cst.ImportFrom):
        home = "." * len(node.relative) + (_dotted(node.module) if node.module else "")
        if isinstance(node.names, cst.ImportStar):
            return [f"{home}.*"]
        return [f"{home}.{_dotted(alias.name)}" for alias in node.names]
    return []


def _dotted(node: Any) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return str(node.value)


def _local(alias: cst.ImportAlias) -> str:
    if alias.asname is not None:
        return str(alias.asname.name.value)  # type: ignore[union-attr]
    return _dotted(alias.name).partition(".")[0]
