"""Lines of IPython in a cell, masked by statements of Python with the same indentation.

A statement, not a comment: a comment would empty the body of an ``if``.
"""

from __future__ import annotations

import ast
import re
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


def mask(source: str, first: int, is_magic_cell: bool = False) -> tuple[str, tuple[Magic, ...]]:
    """Mask every piece of IPython in a cell; each line keeps its number.

    Args:
        source: the cell's text.
        first: the number of the first mask; numbers are unique in a notebook.
        is_magic_cell: whether its first line is a ``%%magic`` for Python.
    """
    lines: list[str] = _LINE.findall(source)
    magics: list[Magic] = []

    def take(at: int) -> bool:
        """Mask the IPython of a line, with the lines that continue it; False if there is none."""
        while at and lines[at - 1].rstrip("\r\n").endswith("\\"):
            at -= 1  # the error is in a line that continues another
        end = at + 1
        while end < len(lines) and lines[end - 1].rstrip("\r\n").endswith("\\"):
            end += 1
        text = "".join(lines[at:end])
        span = _magic_in(text)
        if span is not None:
            magic, rest = text[slice(*span)], text[span[1] :]
            name = f"__pedl2det_magic_{first + len(magics)}__" + ("; " if rest.strip() else "")
            magics.append(Magic(magic, at + 1, name + "".join(re.findall("\r?\n", magic))))
            lines[at:end] = _LINE.findall(text[: span[0]] + magics[-1].mask + rest)
        return span is not None

    for at, text in enumerate(lines):
        # The compiler wants it first; without it Python 3 does the same.
        if _FUTURE.fullmatch(text.rstrip("\r\n")):
            take(at)
    if is_magic_cell:
        take(next(at for at, text in enumerate(lines) if text.strip()))
    while (wrong := _wrong_line("".join(lines))) is not None:
        if wrong >= len(lines) or not take(wrong):
            break
    return "".join(lines), tuple(magics)


def _wrong_line(text: str) -> int | None:
    """The index of the line that is no Python; None if all are."""
    try:
        ast.parse(text)
    except SyntaxError as error:
        return (error.lineno or 1) - 1
    except ValueError:  # a null byte
        pass
    return None


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
    if _MAGIC.match(line, start) or _FUTURE.fullmatch(line, start, end):
        return start, end
    assigned = _ASSIGNED.match(line, start)
    return (assigned.end(), end) if assigned else None
