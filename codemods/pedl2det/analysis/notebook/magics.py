"""Lines of IPython in a cell, masked by statements of Python with the same indentation.

A statement, not a comment: a comment would empty the body of an ``if``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

#: Magics whose cell is Python that runs in the notebook itself.
PYTHON_CELLS = frozenset({"capture", "debug", "prun", "time", "timeit"})

_AUTOMAGICS = "cat|cd|conda|cp|env|load_ext|ls|man|matplotlib|mkdir|mv|pip|pylab|rm|rmdir|run"
_MAGIC = re.compile(
    rf"""
    [!%?,;/]                             # %magic, !command, ?help, and what calls by itself
    | [%]{{0,2}}[\w.*]+\?{{1,2}}[ \t]*\r?$  # help??
    | (?:{_AUTOMAGICS})[ \t]+[\w./~-]      # a magic without its sign
    """,
    re.VERBOSE | re.MULTILINE,
)
_ASSIGNED = re.compile(r"[A-Za-z_][\w., \t\[\]]*=[ \t]*(?=[!%])")
_TIMED = re.compile(r"%(?:time|timeit|prun|memit)[ \t]+(?:-\w+[ \t]*\d*[ \t]+)*")
_TO_LINE_END = re.compile(r"(?:\\\r?\n|[^\n])*")
_FUTURE = re.compile(r"from __future__ import [\w, \t]+")
_TOKEN = re.compile(
    r"""
    \#[^\n]*
    | '{3}(?:\\.|[^\\])*?'{3} | "{3}(?:\\.|[^\\])*?"{3}
    | '(?:\\.|[^'\\\n])*'? | "(?:\\.|[^"\\\n])*"?
    | \\\r?\n | \n | .
    """,
    re.VERBOSE | re.DOTALL,
)


_OLD_API = re.compile(r"(?<![\w./-])(?:pedl\.\w|import[ ][^\n]*\bpedl\b|from[ ]+pedl\b)")


def uses_old_api(text: str) -> bool:
    """Tell whether a piece of IPython seems to use the old API."""
    return _OLD_API.search(text) is not None


@dataclass(frozen=True)
class Magic:
    """A piece of IPython in a cell.

    Attributes:
        text: what stands there.
        line: the line of the cell on which it begins, from 1.
        mask: what stands there in the virtual module.
    """

    text: str
    line: int
    mask: str

    @property
    def is_shell(self) -> bool:
        """Whether it is a command for the shell."""
        return re.match(r"!|%(sc|sx|system|pip)\b|pip\b", self.text) is not None


@dataclass(frozen=True)
class Masked:
    """A cell as Python.

    Attributes:
        text: its text, with masks.
        magics: what they stand for.
        lines: for each line of the text the line of the cell.
    """

    text: str
    magics: tuple[Magic, ...]
    lines: tuple[int, ...]


def mask(source: str, first: int, is_magic_cell: bool = False) -> Masked:
    """Mask every piece of IPython in a cell.

    Args:
        source: the cell's text.
        first: the number of the first mask; numbers are unique in a notebook.
        is_magic_cell: whether its first line is a ``%%magic`` for Python.
    """
    magics: list[Magic] = []
    lines: list[int] = []
    text, line = "", 1
    is_python = _is_python(source)
    for piece in _logical_lines(source, has_magics=not is_python or is_magic_cell):
        new = piece
        found = _magic_in(piece, is_python and not is_magic_cell)
        if found is not None:
            start, end = found
            name = f"__pedl2det_magic_{first + len(magics)}__"
            name += "; " if end < len(piece.rstrip("\r\n")) else ""
            magics.append(Magic(piece[start:end], line, name))
            new = piece[:start] + name + piece[end:]
        text += new
        lines += range(line, line + new.count("\n") + (not new.endswith("\n")))
        line += piece.count("\n")
    return Masked(text, tuple(magics), tuple(lines))


def unmask(text: str, magics: tuple[Magic, ...]) -> str:
    """Put back what stood in a cell.

    Raises:
        ValueError: a mask is gone or stands there twice; the message names what it stood for.
    """
    for magic in magics:
        if text.count(magic.mask) != 1:
            raise ValueError(f"{magic.text.splitlines()[0]} of line {magic.line}")
        text = text.replace(magic.mask, magic.text)
    return text


def _is_python(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True


def _magic_in(piece: str, is_python: bool) -> tuple[int, int] | None:
    """Where in a logical line IPython stands."""
    start = len(piece) - len(piece.lstrip(" \t"))
    end = len(piece.rstrip("\r\n"))
    if _FUTURE.fullmatch(piece, 0, end):
        return start, end  # the compiler wants it first; without it Python 3 does the same
    if is_python:
        return None
    timed = _TIMED.match(piece, start)
    if timed and "\n" not in piece[:end] and _is_python(piece[timed.end() : end]):
        if piece[timed.end() : end].strip():
            return start, timed.end()
        return start, end
    if _MAGIC.match(piece, start):
        return start, end
    assigned = _ASSIGNED.match(piece, start)
    return (assigned.end(), end) if assigned else None


def _logical_lines(source: str, has_magics: bool) -> Iterator[str]:
    """A cell in pieces, each a line with all that continues it."""
    at = 0
    while at < len(source):
        start = at
        indent = re.compile(r"[ \t]*").match(source, at)
        assert indent is not None
        code = indent.end()
        if has_magics and (_MAGIC.match(source, code) or _ASSIGNED.match(source, code)):
            found = _TO_LINE_END.match(source, code)
            assert found is not None
            at = min(found.end() + 1, len(source))
        else:
            at = _end_of_code(source, code)
        yield source[start:at]


def _end_of_code(source: str, at: int) -> int:
    """Where a logical line of Python ends."""
    depth = 0
    for token in _TOKEN.finditer(source, at):
        if token[0] in "([{":
            depth += 1
        elif token[0] in ")]}":
            depth -= 1
        elif token[0] == "\n" and depth <= 0:
            return token.end()
    return len(source)
