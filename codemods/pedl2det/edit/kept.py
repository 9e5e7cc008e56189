"""Which statements of a file an edit looks at, and where the others stand."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from pedl2det.facts.source import NEWLINE, Source

Cut = tuple[int, int, int]  # where it begins and ends in the text, and on which line it begins


class Kept:
    """What of a file stays.

    Args:
        source: the file.
        lines: on which statements begin that stay.
        whole: statements that stay with all that is in them.
    """

    def __init__(self, source: Source, lines: set[int], whole: Sequence[ast.stmt]) -> None:
        self._source = source
        self._whole = {id(statement) for statement in whole}
        self._lines = sorted({*lines, *(one.lineno for one in whole)})
        self._first_block = _first_with_block(source)  # it tells libcst how the file indents

    def cuts(self) -> list[Cut]:
        """The parts of the text that can be left out, in order."""
        ends = {match[0] for match in NEWLINE.finditer(self._source.text)}
        if len(ends) > 1:  # the first tells libcst how all of them end
            return []
        return list(self._cuts(self._source.tree.body))

    def _cuts(self, block: list[ast.stmt]) -> Iterator[Cut]:
        run: list[ast.stmt] = []
        for statement in block:
            if not self._stays(statement, block):
                run.append(statement)
                continue
            if run and run[-1].end_lineno != statement.lineno:
                yield self._cut(run)
            run = []
            if id(statement) not in self._whole:
                for inner in _blocks(statement):
                    yield from self._cuts(inner)
        if run:
            yield self._cut(run)

    def _stays(self, statement: ast.stmt, block: list[ast.stmt]) -> bool:
        """Whether a statement is edited or looked at, or does not have its lines for itself."""
        if statement is block[0] and _is_text(statement):
            return True
        if isinstance(statement, ast.Import | ast.ImportFrom) and block is self._source.tree.body:
            return True
        if statement is self._first_block:
            return True
        first = _first_line(statement)
        at = bisect_left(self._lines, first)
        if at < len(self._lines) and self._lines[at] <= (statement.end_lineno or first):
            return True
        _, column = self._source.start(statement)
        start = self._source.offset((first, column))
        begins = self._source.text[start : start + 4]
        return (
            len(self._source.indent(first)) != column
            or (first < statement.lineno and begins[:1] != "@")
            or (isinstance(statement, ast.If) and begins == "elif")
        )

    def _cut(self, run: list[ast.stmt]) -> Cut:
        """The lines of some statements, with the comments that belong into the last one."""
        first, last = _first_line(run[0]), run[-1].end_lineno or 0
        column = len(self._source.indent(first))
        if next(_blocks(run[-1]), None):
            last = self._last_comment(last, column)
        return (
            self._source.offset((first, column)),
            self._source.offset((last, len(self._source.lines[last - 1]))),
            first,
        )

    def _last_comment(self, line: int, column: int) -> int:
        """The last line below some code that is a comment further right than a column."""
        found = line
        for text in self._source.lines[line:]:
            line += 1
            stripped = text.lstrip()
            if stripped[:1] not in ("", "#"):
                break
            if stripped and len(text) - len(stripped) > column:
                found = line
        return found


def _first_line(statement: ast.stmt) -> int:
    """The line on which a statement begins, with its decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _first_with_block(source: Source) -> ast.stmt | None:
    """The first statement with a block on lines of its own."""
    for statement in source.tree.body:
        for block in _blocks(statement):
            if len(source.indent(block[0].lineno)) == source.start(block[0])[1]:
                return statement
    return None


def _is_text(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
    return False


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks in a statement, in the order of the text."""
    clauses = (getattr(statement, name, []) for name in ("handlers", "cases"))
    for block in (
        getattr(statement, "body", []),
        *(clause.body for several in clauses for clause in several),
        getattr(statement, "orelse", []),
        getattr(statement, "finalbody", []),
    ):
        if block:
            yield block
