"""Edit imports: add what a rewritten file needs, drop what it no longer uses."""

from __future__ import annotations

import ast
import copy
import itertools
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pedl2det.analysis.bindings import run_at_once
from pedl2det.analysis.source import NEWLINE, Source, first_line, lines_of
from pedl2det.edits.apply import apply
from pedl2det.edits.comments import close_up
from pedl2det.edits.flakes import undefined_exports, wrong_names
from pedl2det.edits.layout import formatted
from pedl2det.fixes import Drop, ReplaceStatement

#: The maximum width of a line of imports.
_LONGEST = 100
_TYPE_COMMENT = re.compile(r"#[ \t]*type:(?![ \t]*ignore)(.+)")
_NAME = re.compile(r"[^\W\d]\w*")
_INNER = (ast.If, ast.FunctionDef, ast.AsyncFunctionDef)
_Statement = ast.Import | ast.ImportFrom


@dataclass(frozen=True)
class Wanted:
    """What a new text should import."""

    added: frozenset[str]  #: import statements that the new code needs, one name each
    is_old: Callable[[str], bool]  #: whether a dotted name belongs to an old API
    project: frozenset[str] = frozenset()  #: the top names of the project's own modules
    is_package: bool = False  #: whether the file is an ``__init__.py``, whose imports are exports.

    def is_gone(self, dotted: str) -> bool:
        """Return whether a dotted name belongs to an old API, and not to the project."""
        return dotted.partition(".")[0] not in self.project and self.is_old(dotted)

    def group(self, module: str) -> int:
        """Return the group of a module: standard library, third parties, project."""
        top = module.lstrip(".").partition(".")[0]
        if module.startswith(".") or top in self.project or top == "legacy_keras":
            return 2
        return 0 if top in sys.stdlib_module_names else 1


def fit_imports(old: Source, new: Source, wanted: Wanted) -> str:
    """Return the new text with imports for all that it uses, without those that went unused."""
    had, has, reads = _used_names(old), _used_names(new), _read_names(new)
    statements = map(_parsed, sorted(wanted.added))
    added = {
        name: statement for statement in statements if (name := _local(statement.names[0])) in has
    }
    present = new.names.of(ast.Import, ast.ImportFrom)
    if not added and not present:
        return new.text
    editor = _Editor(new, wanted)
    editor.move(added)
    editor.add(added)

    def stays(alias: ast.alias, node: _Statement) -> bool:
        """Whether a name is used, or was unused before too, and no new import binds it."""
        name = _local(alias)
        if name in added:
            return _single(alias, node) == ast.unparse(added[name])
        start = f"{_module_of(node)}." if isinstance(node, ast.ImportFrom) else ""
        if wanted.is_gone(start + alias.name):
            return name in reads  # a string with the name does not count
        return name in has or not (name in had and not wanted.is_package)

    text = editor.without(stays)
    if any(_is_old_star(node, wanted) for node in present) and wrong_names(ast.parse(text)):
        text = editor.without(stays, keeps_stars=True)
    if "__all__" in text:
        source = Source.of(new.path, text)
        lost = undefined_exports(source.tree) - undefined_exports(old.tree)
        lines = [
            statement
            for statement in source.tree.body
            if ast.unparse(statement).startswith("__all__ = ")
        ]
        parts = [part for line in lines for part in source.names.below(line)]
        exports = [part for part in parts if isinstance(part, ast.Constant) and part.value in lost]
        text = apply(source, map(Drop, exports), {})
    return text if text.strip() else ""


def _used_names(source: Source) -> set[str]:
    """The names that a file reads, in string annotations, type comments and ``__all__`` too."""
    texts = _TYPE_COMMENT.findall(source.text)
    for constant in source.names.of(ast.Constant):
        if isinstance(constant.value, str) and re.fullmatch(r"[\w.\[\], |]{1,200}", constant.value):
            texts.append(constant.value)
    return _read_names(source).union(*map(_NAME.findall, texts))


def _read_names(source: Source) -> set[str]:
    return {node.id for node in source.names.of(ast.Name) if not isinstance(node.ctx, ast.Store)}


def _parsed(statement: str) -> _Statement:
    node = ast.parse(statement).body[0]
    assert isinstance(node, _Statement)
    return node


def _module_of(node: _Statement) -> str:
    """The module that a statement imports, or imports names from, with its dots."""
    if isinstance(node, ast.ImportFrom):
        return "." * node.level + (node.module or "")
    return node.names[0].name


def _top(node: _Statement) -> str:
    return _module_of(node).partition(".")[0]


def _local(alias: ast.alias) -> str:
    """The local name that an import binds."""
    return alias.asname or alias.name.partition(".")[0]


def _single(alias: ast.alias, node: _Statement) -> str:
    """The statement that imports one name alone."""
    start = f"from {_module_of(node)} import" if isinstance(node, ast.ImportFrom) else "import"
    return f"{start} {ast.unparse(alias)}"


def _key(node: _Statement) -> tuple[bool, str]:
    """The sort key of an import in its group."""
    return isinstance(node, ast.ImportFrom), _module_of(node)


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _is_old_star(node: _Statement, wanted: Wanted) -> bool:
    """Whether a statement imports all names of a module of an old API."""
    is_star = isinstance(node, ast.ImportFrom) and not node.level and node.names[0].name == "*"
    return is_star and wanted.is_gone(f"{_module_of(node)}.x")


def _without_names(node: _Statement, kept: Sequence[bool]) -> str:
    """The code of an import of fewer names, on one line where they fit."""
    if not any(kept):
        return ""
    fewer = copy.copy(node)
    fewer.names = [*itertools.compress(node.names, kept)]
    return _folded(ast.unparse(fewer))


def _folded(code: str) -> str:
    """An import with a line for each name, where they do not fit on one."""
    if "\n" in code or len(code) <= _LONGEST:
        return code
    return formatted(code, _LONGEST).rstrip("\n")


# The file, as rows of text. The comments and blank lines of rows that do not change stay.


@dataclass
class _Row:
    """A line of simple statements, or a compound statement."""

    above: list[str]  #: the comments and blank lines above it
    code: str  #: its lines, with their ends; empty once it is removed
    nodes: list[ast.stmt]  #: its statements


def _rows_of(source: Source) -> list[_Row]:
    """Return the rows of a file; what is above the first row is its head."""
    lines = lines_of(source.text)
    rows: list[_Row] = []
    end = 0
    for statement in source.tree.body:
        start, last = first_line(statement) - 1, statement.end_lineno or 0
        if rows and start < end:  # after a semicolon
            rows[-1].nodes.append(statement)
            rows[-1].code += "".join(lines[end:last])
        else:
            above = lines[end:start] if rows else []
            rows.append(_Row(above, "".join(lines[start:last]), [statement]))
        end = last
    return rows


def _take_blank_lines(row: _Row) -> list[str]:
    """Remove the blank lines above the comments of a row; return them."""
    blank = [*itertools.takewhile(lambda line: not line.strip(), row.above)]
    del row.above[: len(blank)]
    return blank


def _text_of(rows: Sequence[_Row]) -> str:
    codes = [row.code for row in rows]
    above = [row.above for row in rows]
    closed, end = close_up(
        above, map(bool, codes), lambda line: line.strip() if "#" in line else ""
    )
    parts = zip(closed, filter(None, codes), strict=True)
    return "".join([*(line for above, code in parts for line in (*above, code)), *end])


@dataclass
class _Import:
    """The current form of an import."""

    node: _Statement  #: a statement with its names, in their order
    code: str


class _Editor:
    """The imports of a file, each in a row of the text or in a statement of one."""

    def __init__(self, source: Source, wanted: Wanted) -> None:
        self._source = source
        self._wanted = wanted
        newline = NEWLINE.search(source.text)
        self._newline = newline[0] if newline else "\n"
        body = source.tree.body
        self._rows = _rows_of(source)
        start = source.offset((first_line(body[0]), 0)) if body else len(source.text)
        self._head = source.text[:start]
        self._foot = source.text[start + len(_text_of(self._rows)) :]
        self._present = sorted(source.names.of(ast.Import, ast.ImportFrom), key=source.start)
        self._imports: dict[ast.stmt, _Import] = {
            node: _Import(node, source.segment(node)) for node in self._present
        }

    def _group(self, node: _Statement) -> int:
        return self._wanted.group(_module_of(node))

    def move(self, added: Mapping[str, _Statement]) -> None:
        """Replace old imports by new ones that bind the same names and belong to the same group."""
        done: set[str] = set()
        for old in self._present:
            new = [added.get(_local(alias)) for alias in old.names]
            matching = [node for node in new if node is not None]
            modules = {_module_of(node) for node in matching}
            if len(matching) < len(new) or len(modules) > 1 or old.lineno in self._source.skipped:
                continue
            locals_ = {_local(alias) for alias in old.names}
            # In an `if` or a function, another import of the name does not replace it.
            is_inner = any(isinstance(outer, _INNER) for outer in self._source.names.around(old))
            is_moved = bool(locals_ & done) and not is_inner
            done |= locals_
            is_elsewhere = self._group(old) != self._group(matching[0]) and not is_inner
            if is_moved or is_elsewhere or _top(old) == "pedl" or _module_of(old) in modules:
                continue
            if len(matching) == 1:
                self._imports[old] = _Import(matching[0], ast.unparse(matching[0]))
            elif isinstance(old, ast.ImportFrom) and all(
                isinstance(node, ast.ImportFrom) and node.names[0].name == alias.name
                for node, alias in zip(matching, old.names, strict=True)
            ):
                (module,) = modules
                start = f"from {module}"
                code = re.sub(r"from\s*[\w.]+", start, self._source.segment(old), count=1)
                moved = ast.ImportFrom(module, old.names, 0)
                self._imports[old] = _Import(moved, _folded(code))

    def add(self, added: Mapping[str, _Statement]) -> None:
        """Add missing imports, each in its group."""
        names = self._source.names
        present = {
            _single(alias, imported.node)
            for old, imported in self._imports.items()
            if not any(isinstance(outer, ast.ExceptHandler) for outer in names.around(old))
            for alias in imported.node.names
        }
        unbound = {
            read.id for read in names.of(ast.Name) if read.id in added and not names.bindings(read)
        }
        missing = {
            name: new
            for name, new in added.items()
            if name in unbound or ast.unparse(new) not in present
        }
        run = [[*map(run_at_once, row.nodes)] for row in self._rows if missing]
        parts = map(itertools.chain.from_iterable, run)
        reads = [{node.id for node in part if isinstance(node, ast.Name)} for part in parts]
        for name, new in missing.items():
            # Add it above the first row that reads its name.
            used = next((at for at, names in enumerate(reads) if name in names), len(reads))
            if not (isinstance(new, ast.ImportFrom) and self._merge(new, used)):
                reads.insert(self._insert(new, used), set())

    def _merge(self, new: ast.ImportFrom, used: int) -> bool:
        """Add a name to an import of the same module if the line stays short; return whether."""
        (alias,) = new.names
        for row in self._rows[:used]:
            match self._first(row):
                case ast.ImportFrom(level=0, module=new.module, names=names) if (
                    len(row.nodes) == 1 and names[0].name != "*"
                ):
                    pass
                case _:
                    continue
            known = row.nodes[0]
            old = self._imports[known].code
            if "#" in old:
                continue
            place = sum(other.name < alias.name for other in names)
            node = ast.ImportFrom(new.module, [*names[:place], alias, *names[place:]], 0)
            code = ast.unparse(node)
            if "\n" in old:  # a trailing comma keeps each name on its own line
                in_lines = f"{code.replace(' import ', ' import (')},)"
                code = formatted(in_lines, _LONGEST).rstrip("\n")
            elif len(self._code(row, {known: code}).rstrip()) > _LONGEST:
                continue
            self._imports[known] = _Import(node, code)
            return True
        return False

    def _insert(self, new: _Statement, used: int) -> int:
        """Add a row for an import; return its index."""
        group, rows, newline = self._group(new), self._rows, self._newline
        imports = [
            (at, self._group(node), node)
            for at, row in enumerate(rows[:used])
            if isinstance(node := self._first(row), _Statement) and not _is_future(node)
        ]
        same = [(at, node) for at, other, node in imports if other == group]
        if _top(new) == "determined":  # beside others, or below the last of PEDL
            beside = [(at, node) for at, node in same if _top(node) == "determined"]
            same = beside or [(at, node) for at, node in same if _top(node) == "pedl"][-1:] or same
        above = [newline]
        if same:
            later = (at for at, node in same if _key(node) > _key(new) and _top(node) != "pedl")
            at = next(later, same[-1][0] + 1)
            above = []
            if at <= same[0][0]:
                above = _take_blank_lines(rows[at])
                is_below = any(place == at - 1 and other == group for place, other, _ in imports)
                above = above or ([newline] if at and not is_below else [])
        elif before := [at for at, other, _ in imports if other < group]:
            at = before[-1] + 1
            self._separate(at)
        elif imports:
            at = imports[0][0]
            above = _take_blank_lines(rows[at])
            self._separate(at)
        else:
            has_docstring = ast.get_docstring(self._source.tree) is not None
            at = has_docstring + sum(_is_future(row.nodes[0]) for row in rows)
            above = [newline] if at else []
            self._separate(at)
        if at and not NEWLINE.search(rows[at - 1].code[-1:]):
            rows[at - 1].code += newline  # it was the last line of the file
        self._imports[new] = _Import(new, ast.unparse(new))
        rows.insert(at, _Row(above, ast.unparse(new) + newline, [new]))
        return at

    def _separate(self, at: int) -> None:
        """Put blank lines above a row, because an import of another group goes before it."""
        if at < len(self._rows):
            row = self._rows[at]
            is_definition = isinstance(row.nodes[0], ast.FunctionDef | ast.ClassDef)
            if not row.above or row.above[0].strip():
                row.above[:0] = [self._newline] * (2 if is_definition else 1)

    def _first(self, row: _Row) -> ast.stmt:
        """The first statement of a row, as it is now."""
        first = row.nodes[0]
        return self._imports[first].node if first in self._imports else first

    def without(
        self, stays: Callable[[ast.alias, _Statement], bool], keeps_stars: bool = False
    ) -> str:
        """Return the text without the imported names that do not stay."""
        codes: dict[ast.stmt, str] = {
            node: imported.code for node, imported in self._imports.items()
        }
        for place in self._present:
            now = self._imports[place].node
            if any(line in self._source.skipped for line in (place.lineno, place.end_lineno or 0)):
                continue
            if now.names[0].name == "*":
                kept = [keeps_stars or not _is_old_star(now, self._wanted)]
            else:
                kept = [stays(alias, now) for alias in now.names]
            if not all(kept):
                codes[place] = _without_names(now, kept)
        codes |= self._blocks(codes)
        rows = [_Row(row.above, self._code(row, codes), row.nodes) for row in self._rows]
        return self._head + _text_of(rows) + self._foot

    def _code(self, row: _Row, codes: Mapping[ast.stmt, str]) -> str:
        """The code of a row with that of its imports."""
        first = row.nodes[0]
        if first not in self._source.names.parents:
            return codes.get(first, self._imports[first].code) + self._newline
        if first in codes and first not in self._imports:
            return codes[first]
        old = [self._source.segment(statement) for statement in row.nodes]
        new = [codes.get(statement, text) for statement, text in zip(row.nodes, old, strict=True)]
        if new == old:
            return row.code
        start = self._source.offset(self._source.start(first))
        end = self._source.offset(self._source.span(row.nodes[-1])[1]) - start
        text = NEWLINE.sub(self._newline, "; ".join(filter(None, new)))
        return text and text + row.code[end:]

    def _blocks(self, codes: Mapping[ast.stmt, str]) -> dict[ast.stmt, str]:
        """The new code of statements with blocks in which imports change."""
        source, tree = self._source, self._source.tree
        inner = [
            ReplaceStatement(node, codes[node])
            for node in self._present
            if source.names.parents[node] is not tree and codes[node] != source.segment(node)
        ]
        new = Source.of(source.path, apply(source, inner, {})) if inner else source
        rows = zip(_rows_of(source), _rows_of(new), strict=True)
        return {old.nodes[0]: row.code for old, row in rows if row.code != old.code}
