"""Lines of IPython in a cell, masked by statements of Python with the same indentation.

A statement, not a comment: a comment would empty the body of an ``if``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
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
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FUTURE = re.compile(r"from __future__ import [\w, \t]+")
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
    pieces = [(text, number) for number, text in enumerate(_LINE.findall(source), 1)]
    for at, (text, _) in enumerate(pieces):
        if _FUTURE.fullmatch(text.rstrip("\r\n")):
            # The compiler wants it first; without it Python 3 does the same.
            _take(pieces, at, (0, len(text.rstrip("\r\n"))), first, magics)
    if is_magic_cell:
        at = next(at for at, (text, _) in enumerate(pieces) if text.strip())
        _take_magic(pieces, at, first, magics)
    while (wrong := _wrong_line("".join(text for text, _ in pieces))) is not None:
        if wrong >= len(pieces) or not _take_magic(pieces, wrong, first, magics):
            break
    return Masked(
        "".join(text for text, _ in pieces), tuple(magics), tuple(number for _, number in pieces)
    )


def _wrong_line(text: str) -> int | None:
    """The index of the line that is no Python; None if all are."""
    try:
        ast.parse(text)
    except SyntaxError as error:
        return (error.lineno or 1) - 1
    except ValueError:  # a null byte
        pass
    return None


def _take_magic(pieces: list[tuple[str, int]], at: int, first: int, magics: list[Magic]) -> bool:
    """Mask the IPython of a line, with the lines that continue it; False if there is none."""
    while at and pieces[at - 1][0].rstrip("\r\n").endswith("\\"):
        at -= 1  # the error is in a line that continues another
    text, number = pieces[at]
    end = at + 1
    while text.rstrip("\r\n").endswith("\\") and end < len(pieces):
        text += pieces[end][0]
        end += 1
    span = _magic_in(text)
    if span is not None:
        pieces[at:end] = [(text, number)]
        _take(pieces, at, span, first, magics)
    return span is not None


def _take(
    pieces: list[tuple[str, int]], at: int, span: Sequence[int], first: int, magics: list[Magic]
) -> None:
    text, number = pieces[at]
    start, end = span
    name = f"__pedl2det_magic_{first + len(magics)}__"
    name += "; " if end < len(text.rstrip("\r\n")) else ""
    magics.append(Magic(text[start:end], number, name))
    pieces[at] = (text[:start] + name + text[end:], number)


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


def _magic_in(line: str) -> tuple[int, int] | None:
    """Where in a logical line IPython stands."""
    start = len(line) - len(line.lstrip(" \t"))
    end = len(line.rstrip("\r\n"))
    timed = _TIMED.match(line, start)
    code = line[timed.end() : end] if timed else ""
    if timed and code.strip() and "\n" not in code and _wrong_line(code) is None:
        return start, timed.end()
    if _MAGIC.match(line, start):
        return start, end
    assigned = _ASSIGNED.match(line, start)
    return (assigned.end(), end) if assigned else None
