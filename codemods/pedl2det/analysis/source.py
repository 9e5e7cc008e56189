"""One Python file: its exact bytes, its text, its ``ast`` tree, and what a position means.

``ast`` gives the facts, because it is ten times as fast as libcst; libcst makes the edits
(``edits/locate.py`` finds a node of one in the other).
"""

from __future__ import annotations

import ast
import codecs
import io
import re
import tokenize
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pedl2det.analysis.names import Names
from pedl2det.analysis.tree import read_bytes
from pedl2det.findings import Unreadable

#: The comment.
SKIP = re.compile(r"#\s*pedl2det:\s*skip\b")


_BLANK = (tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.NEWLINE)


@dataclass(frozen=True)
class Skipped:
    """What of a file is to be left.

    Attributes:
        whole: the whole file: the comment stands alone, before the first statement.
        lines: single lines, from 1: the comment stands at their end.
    """

    whole: bool = False
    lines: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return self.whole or bool(self.lines)

    def __contains__(self, line: int) -> bool:
        return self.whole or line in self.lines


def skipped_in_code(text: str) -> Skipped:
    """What of a Python file is to be left; a statement over several lines is left as a whole."""
    if not SKIP.search(text):
        return Skipped()
    lines: set[int] = set()
    whole = is_begun = False
    statement: list[tokenize.TokenInfo] = []  # what is read of the logical line
    for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
        is_skip = token.type == tokenize.COMMENT and SKIP.match(token.string)
        if is_skip and not token.line[: token.start[1]].strip():  # it stands alone
            whole = whole or not is_begun
        elif is_skip or token.type not in _BLANK:
            statement.append(token)
            is_begun = is_begun or token.type not in (tokenize.STRING, tokenize.COMMENT)
        if token.type == tokenize.NEWLINE:
            if any(one.type == tokenize.COMMENT for one in statement):
                lines.update(range(statement[0].start[0], token.start[0] + 1))
            statement = []
    return Skipped(whole, frozenset(lines))


def skipped_in_text(text: str) -> Skipped:
    """What of a file with ``#`` comments, such as YAML, is to be left."""
    lines = text.splitlines()
    found = {number for number, line in enumerate(lines, 1) if SKIP.search(line)}
    begun = next((n for n, line in enumerate(lines, 1) if line.partition("#")[0].strip()), 0)
    whole = any(number < begun for number in found)
    return Skipped(whole, frozenset(found))


Place = tuple[int, int]  # line from 1, column from 0 in characters
Span = tuple[Place, Place]

NEWLINE = re.compile("\r\n|\r|\n")


def newline_of(text: str) -> str:
    """The first line end of a text."""
    found = NEWLINE.search(text)
    return found[0] if found else "\n"


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends, as Python counts them."""
    return io.StringIO(text, newline="").readlines()


@dataclass(frozen=True)
class Source:
    """A Python file.

    Attributes:
        path: where it is.
        text: its text, with the line ends of the file.
        encoding: how its bytes are decoded.
        bom: whether it begins with a byte order mark.
        tree: its syntax tree.
    """

    path: Path
    text: str
    encoding: str
    bom: bool
    tree: ast.Module

    @classmethod
    def read(cls, path: Path) -> Source:
        """Read and parse a file.

        Raises:
            Unreadable: it cannot be read, or is not Python 3 in the encoding that it names.
        """
        data = read_bytes(path)
        bom = data.startswith(codecs.BOM_UTF8)
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            text = data.removeprefix(codecs.BOM_UTF8).decode(
                "utf-8" if encoding == "utf-8-sig" else encoding
            )
        except (SyntaxError, UnicodeDecodeError, LookupError) as error:
            raise Unreadable(f"cannot be decoded: {error}") from None
        return cls.of(path, text, "utf-8" if bom else encoding, bom)

    @classmethod
    def of(cls, path: Path, text: str, encoding: str = "utf-8", bom: bool = False) -> Source:
        """Parse a text.

        Raises:
            Unreadable: it is not Python 3.
        """
        try:
            with warnings.catch_warnings(action="ignore"):  # what Python says of an old escape
                return cls(path, text, encoding, bom, ast.parse(text))
        except SyntaxError as error:
            raise Unreadable(f"syntax error: {error.msg}", error.lineno or 1) from None
        except ValueError as error:  # a null byte
            raise Unreadable(f"syntax error: {error}") from None
        except (RecursionError, MemoryError):  # both are what the parser says of it
            raise Unreadable("an expression is nested too deeply to be read") from None

    def encoded(self, text: str) -> bytes:
        """The bytes of a new text of this file."""
        return (codecs.BOM_UTF8 if self.bom else b"") + text.encode(self.encoding)

    @property
    def is_module(self) -> bool:
        """Whether other files can import it."""
        return True

    def place(self, line: int) -> tuple[int | None, int]:
        """Where a line of the text is for the user: a notebook's cell, and the line."""
        return None, line

    def problem_with(self, text: str) -> str | None:  # noqa: ARG002 - for those that derive
        """Why the file cannot have a new text, or None."""
        return None

    @cached_property
    def skipped(self) -> Skipped:
        """What the user wants left, by a comment."""
        return skipped_in_code(self.text)

    @cached_property
    def names(self) -> Names:
        """What the names in this file mean."""
        return Names(self.tree)

    @cached_property
    def lines(self) -> list[str]:
        """Its lines without their ends."""
        return NEWLINE.split(self.text)  # str.splitlines knows more line ends

    def start(self, node: ast.expr | ast.stmt | ast.arg) -> Place:
        """Where a node begins."""
        return node.lineno, self._column(node.lineno, node.col_offset)

    def span(self, node: ast.expr | ast.stmt) -> Span:
        """Where a node begins and ends."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.start(node), (
            node.end_lineno,
            self._column(node.end_lineno, node.end_col_offset),
        )

    @cached_property
    def newline(self) -> str:
        """How the first line ends, and with it new ones."""
        return newline_of(self.text)

    def segment(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node."""
        start, end = map(self.offset, self.span(node))
        return self.text[start:end]

    def offset(self, place: Place) -> int:
        """Where a place is in the text."""
        line, column = place
        return self._starts[line - 1] + column

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line begins in the text."""
        return [0, *(match.end() for match in NEWLINE.finditer(self.text))]

    def _column(self, line: int, offset: int) -> int:
        if self.text.isascii():
            return offset
        return len(self.lines[line - 1].encode("utf-8")[:offset].decode("utf-8"))
