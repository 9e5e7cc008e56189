"""Bring the imports of a rewritten file in line with what its new text uses."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import libcst as cst

from pedl2det.analysis.skipping import SKIP
from pedl2det.edits.comments import Gone, is_gone, settle, without_blank
from pedl2det.edits.first_read import first_read
from pedl2det.edits.undefined import undefined

_MODULE = cst.Module([])
_TYPE_COMMENT = re.compile(r"#[ \t]*type:(?![ \t]*ignore)(.+)")
_NAME = re.compile(r"[^\W\d]\w*")


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


def fitted(old: str, new: str, wanted: Wanted, tree: cst.Module | None = None) -> str:
    """The new text with imports for all that it uses and without those that only the old one used.

    Args:
        old: the text before the edits.
        new: the text after them.
        wanted: what the imports shall be.
        tree: the tree of the new text, if it is known.
    """
    had, has = _used_names(old), _used_names(new)
    added = [_Import.of(one) for one in sorted(wanted.added)]
    added = sorted((one for one in added if one.local in has), key=_old_places_first)
    tree = tree or cst.parse_module(new)
    cleaner = _Cleaner(had, has, wanted, {one.local: one for one in added})
    tree = tree.visit(cleaner)
    for one in added:
        if one.statement not in cleaner.present:
            tree = _with_import(tree, one, wanted, cleaner)
    if cleaner.dropped_star and not wanted.keeps_stars and undefined(tree.code):
        return fitted(old, new, replace(wanted, keeps_stars=True))
    if cleaner.dropped_block:
        return fitted(old, tree.code, wanted)  # what only the block needed goes too
    return tree.code if tree.body or tree.code.strip() else ""


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
            module = "." * node.level + (node.module or "")
            return cls(module, alias.name, alias.asname or alias.name, statement)
        assert isinstance(node, ast.Import)
        alias = node.names[0]
        local = alias.asname or alias.name.partition(".")[0]
        return cls(alias.name, None, local, statement)


def _old_places_first(one: _Import) -> bool:
    return not one.module.startswith("determined")


def _used_names(text: str) -> set[str]:
    """The names that a text reads, in string annotations, type comments and ``__all__`` too."""
    found = {name for types in _TYPE_COMMENT.findall(text) for name in _NAME.findall(types)}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= _names_in_string(node.value)
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


#: The nodes around import statements, and these themselves.
_AROUND_IMPORTS = (
    *(cst.Module, cst.BaseCompoundStatement, cst.IndentedBlock, cst.SimpleStatementLine),
    *(cst.SimpleStatementSuite, cst.Else, cst.ExceptHandler, cst.Finally, cst.MatchCase),
    *(cst.Import, cst.ImportFrom),
)


def _is_skipped(line: cst.SimpleStatementLine) -> bool:
    """Whether a comment asks to leave a line."""
    comment = line.trailing_whitespace.comment
    return comment is not None and SKIP.match(comment.value) is not None


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
        self.old_lines: list[Any] = []
        self.dropped_star = False
        self.dropped_block = False

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Go into what may hold an import, and into nothing else."""
        if isinstance(node, cst.SimpleStatementLine):
            imports = any(isinstance(one, cst.Import | cst.ImportFrom) for one in node.body)
            return imports and not _is_skipped(node)
        return isinstance(node, _AROUND_IMPORTS) and super().on_visit(node)

    def visit_Module(self, node: cst.Module) -> None:
        for index, statement in enumerate(node.body):
            if self.old_at is None and any(
                self._wanted.is_harness(dotted) for dotted in _imported(statement)
            ):
                self.old_at = index

    def leave_Import(self, original_node: cst.Import, updated_node: cst.Import) -> Any:
        return self._without(updated_node, [_dotted(one.name) for one in updated_node.names], None)

    def leave_ImportFrom(self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom) -> Any:
        if isinstance(updated_node.names, cst.ImportStar):
            home = _dotted(updated_node.module) if updated_node.module else ""
            is_old = not updated_node.relative and self._wanted.is_old(f"{home}.x")
            if not is_old or self._wanted.keeps_stars:
                return updated_node
            self.dropped_star = True
            return cst.RemoveFromParent()
        home = "." * len(updated_node.relative)
        home += _dotted(updated_node.module) if updated_node.module else ""
        dotted = [f"{home}.{_dotted(one.name)}" for one in updated_node.names]
        return self._without(updated_node, dotted, home)

    def _without(self, node: Any, dotted: list[str], home: str | None) -> Any:
        moved = self._moved(node, home)
        if moved is not None:
            return moved
        kept = []
        for alias, meaning in zip(node.names, dotted, strict=True):
            local = _local(alias)
            is_old = self._wanted.is_old(meaning)
            unused = local not in self._has
            once_used = local in self._had or is_old
            goes = unused and once_used and not (self._wanted.is_package and not is_old)
            replaced = self._replaced.get(local)
            if replaced is not None and not self._is_added(alias, home):
                project = self._wanted.project
                is_near = _kind(meaning, project) == _kind(replaced.module, project)
                if is_near and not self._wanted.is_harness(meaning):
                    self._here.append(replaced)
                continue
            if goes:
                continue
            kept.append(alias)
            self.present.add(_statement(alias, home))
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

    def _moved(self, node: Any, home: str | None) -> Any:
        """The statement with another module, if all of its names come from one other place."""
        targets = [self._replaced.get(_local(alias)) for alias in node.names]
        new = [
            one
            for one, alias in zip(targets, node.names, strict=True)
            if one is not None and not self._is_added(alias, home)
        ]
        module = new[0].module if new else ""
        if (
            module.startswith(".")
            or len(new) != len(node.names)
            or any(
                one.module != module or one.name is None or one.statement in self.present
                for one in new
            )
        ):
            return None
        self.present |= {one.statement for one in new}
        aliases = [
            alias.with_changes(name=cst.Name(one.name or ""), asname=_as_name(one, alias))
            for one, alias in zip(new, node.names, strict=True)
        ]
        place: Any = cst.parse_expression(module)
        if isinstance(node, cst.ImportFrom):
            return node.with_changes(module=place, names=aliases, relative=[])
        return cst.ImportFrom(module=place, names=aliases)

    def _is_added(self, alias: cst.ImportAlias, home: str | None) -> bool:
        """Whether an import is one of those that the new code needs."""
        return _statement(alias, home) in self._wanted.added

    def leave_SimpleStatementLine(
        self,
        original_node: cst.SimpleStatementLine,
        updated_node: cst.SimpleStatementLine,
    ) -> Any:
        """Put a name's new import in the place of the old one; keep the place of an empty line."""
        groups: dict[str, list[_Import]] = {}
        for one in self._here:
            if one.statement not in self.present:
                groups.setdefault(one.module if one.name else one.statement, []).append(one)
        self.present |= {one.statement for one in self._here}
        self._here = []
        if not groups:
            return updated_node if updated_node.body else updated_node.with_changes(body=[Gone()])
        lines = [_line(group) for group in groups.values()]
        if updated_node.body:
            return cst.FlattenSentinel([updated_node, *lines])
        lines[0] = lines[0].with_changes(
            leading_lines=updated_node.leading_lines,
            trailing_whitespace=updated_node.trailing_whitespace,
        )
        return cst.FlattenSentinel(lines)

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> Any:
        """Drop ``if TYPE_CHECKING:`` when it holds nothing any more."""
        is_question = _MODULE.code_for_node(updated_node.test).endswith("TYPE_CHECKING")
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
            if index == self.old_at:
                old_at, self.old_lines = len(body), list(getattr(one, "leading_lines", ()))
                if not is_gone(one):  # the statement is still there, and has them
                    old_at, self.old_lines = len(body) + 1, []
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
        self,
        original_node: cst.IndentedBlock,
        updated_node: cst.IndentedBlock,
    ) -> cst.IndentedBlock:
        """Drop statements without names left; keep the block valid."""
        body, comments = settle(updated_node.body)
        if body == list(updated_node.body):
            return updated_node
        body = body or [cst.SimpleStatementLine([cst.Pass()])]
        return updated_node.with_changes(body=body, footer=[*comments, *updated_node.footer])


def _line(group: Sequence[_Import]) -> Any:
    """The statement that imports some names of one module."""
    first = group[0]
    if first.name is None:
        return cst.parse_statement(first.statement)
    parts = [one.statement.partition(" import ")[2] for one in group]
    return cst.parse_statement(f"from {first.module} import {', '.join(parts)}")


def _with_import(tree: cst.Module, one: _Import, wanted: Wanted, old: _Cleaner) -> cst.Module:
    """The module with one more imported name, in the group where it belongs."""
    body = list(tree.body)
    used = first_read(body, one.local)
    merged = _merged(tree, one, used)
    if merged is not None:
        return merged
    kind = _kind(one.module, wanted.project)
    line = cst.parse_statement(one.statement)
    is_determined = kind == 1 and one.module.startswith("determined")
    beside = [at for at in range(used) if is_determined and _is_of_determined(body[at])]
    if beside:
        return _beside(tree, line, beside)
    if is_determined and old.old_at is not None and old.old_at <= used:
        return _in_old_place(tree, line, old, wanted)
    at = _place(body[:used], kind, one, wanted)
    if at < len(body) and _imported(body[at]) and not (at and _imported(body[at - 1])):
        # The first of all imports keeps the distance to what is above.
        above = [one for one in body[at].leading_lines if one.comment is None]
        rest = [one for one in body[at].leading_lines if one.comment is not None]
        same = _kind_of(_imported(body[at]), wanted) == kind
        between = [] if same else [cst.EmptyLine(indent=False)]
        body[at] = body[at].with_changes(leading_lines=[*between, *rest])
        body.insert(at, line.with_changes(leading_lines=above))
        return tree.with_changes(body=body)
    _make_room(body, at, kind, wanted)
    body.insert(at, _separated(body, at, line, kind, wanted))
    return tree.with_changes(body=body)


def _is_of_determined(statement: Any) -> bool:
    imported = _imported(statement)
    return bool(imported) and imported[0].partition(".")[0] == "determined"


def _beside(tree: cst.Module, line: Any, places: Sequence[int]) -> cst.Module:
    """The module with an import among others of its package, in their order."""
    body = list(tree.body)
    for at in places:
        if _sort_key(body[at]) > _sort_key(line):
            body[at : at + 1] = [
                line.with_changes(leading_lines=body[at].leading_lines),
                body[at].with_changes(leading_lines=[]),
            ]
            return tree.with_changes(body=body)
    body.insert(places[-1] + 1, line)
    return tree.with_changes(body=body)


def _in_old_place(tree: cst.Module, line: Any, old: _Cleaner, wanted: Wanted) -> cst.Module:
    """The module with an import where the first import of the old API stood."""
    body = list(tree.body)
    at = min(old.old_at or 0, len(body))
    if at < len(body):  # it took the lines over from the deleted import
        follows = _imported(body[at])
        is_same = bool(follows) and _kind_of(follows, wanted) == 1
        rest = [
            one
            for one in body[at].leading_lines
            if not (is_same or one.comment) or not any(one is line for line in old.old_lines)
        ]
        body[at] = body[at].with_changes(leading_lines=rest)
    body.insert(at, line.with_changes(leading_lines=old.old_lines))
    old.old_at, old.old_lines = at + 1, []
    return tree.with_changes(body=body)


def _is_empty(block: Any) -> bool:
    body = getattr(block, "body", ())
    lines = [one for line in body for one in getattr(line, "body", ())]
    return len(lines) == 1 and isinstance(lines[0], cst.Pass)


def _make_room(body: list[Any], at: int, kind: int, wanted: Wanted) -> None:
    """Give the statement behind a new import the blank line that divides the groups."""
    if at >= len(body):
        return
    lines = list(body[at].leading_lines) if hasattr(body[at], "leading_lines") else []
    blank = [line for line in lines if line.comment is None]
    follows = _imported(body[at])
    is_same = bool(follows) and _kind_of(follows, wanted) == kind
    before = _imported(body[at - 1]) if at > 0 else []
    divided = bool(before) and (_is_future(before) or _kind_of(before, wanted) != kind)
    if is_same and at > 0 and not divided:
        return
    if is_same:
        lines = [line for line in lines if line.comment is not None]
    elif not blank:
        is_definition = isinstance(body[at], cst.FunctionDef | cst.ClassDef)
        lines = [*[cst.EmptyLine(indent=False)] * (2 if is_definition else 1), *lines]
    body[at] = body[at].with_changes(leading_lines=lines)


def _separated(body: list[Any], at: int, line: Any, kind: int, wanted: Wanted) -> Any:
    """Put a blank line in front of a new import that starts a group."""
    before = _imported(body[at - 1]) if at > 0 else []
    if (before and not _is_future(before) and _kind_of(before, wanted) == kind) or at == 0:
        return line
    return line.with_changes(leading_lines=[cst.EmptyLine(indent=False)])


def _is_future(imported: Sequence[str]) -> bool:
    return bool(imported) and imported[0].startswith("__future__")


def _kind_of(dotted: Sequence[str], wanted: Wanted) -> int:
    return _kind(dotted[0].rpartition(".")[0] or dotted[0], wanted.project)


def _merged(tree: cst.Module, one: _Import, used: int) -> cst.Module | None:
    """The name added to an import of the same module that stands on one line."""
    if one.name is None:
        return None
    body = list(tree.body)
    for index, statement in enumerate(body[:used]):
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


def _place(body: Sequence[Any], kind: int, one: _Import, wanted: Wanted) -> int:
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


def _above(waiting: Sequence[Any], statement: Any) -> list[Any]:
    """The lines above a statement, with those of the deleted ones in front of it."""
    own = list(statement.leading_lines)
    comments = [line for line in waiting if line.comment is not None]
    if own and not comments:
        return own
    return [*waiting, *own]


def _as_name(one: _Import, alias: cst.ImportAlias) -> cst.AsName | None:
    if one.local == one.name:
        return None
    return alias.asname or cst.AsName(cst.Name(one.local))


def _statement(alias: cst.ImportAlias, home: str | None) -> str:
    """The import of one name alone, as :class:`_Import` writes it."""
    as_part = f" as {_local(alias)}" if alias.asname else ""
    start = f"from {home} import" if home is not None else "import"
    return f"{start} {_dotted(alias.name)}{as_part}"


def _dotted(node: Any) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return str(node.value)


def _local(alias: cst.ImportAlias) -> str:
    if alias.asname is not None:
        return str(alias.asname.name.value)  # type: ignore[union-attr]
    return _dotted(alias.name).partition(".")[0]
