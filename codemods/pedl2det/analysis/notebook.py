"""A notebook as one Python module: a class of cell 3 may be used in cell 9.

The code cells are joined, each after a border comment, with a statement in place of each line that
only IPython runs. The edited text is split at the borders, and only cells that changed are written,
by span: a round trip through a JSON parser would change bytes that the edit did not concern.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pedl2det.analysis.source import Source
from pedl2det.analysis.tree import decoded, read_bytes
from pedl2det.findings import Unreadable

Span = tuple[int, int]


@dataclass(frozen=True)
class Cell:
    """One cell."""

    number: int  #: its place among all cells of the notebook, from 1
    is_code: bool  #: whether it is a code cell
    source: str  #: its text
    span: Span  #: where the JSON value of its text begins and ends

    @property
    def magic(self) -> str:
        """The ``%%magic`` that takes the whole cell, or the program of ``%%script``; else empty."""
        match = re.match(r"\s*%%(?:script\s+)?(!|\w+)", self.source)
        return match[1] if match else ""

    @property
    def is_python(self) -> bool:
        """Whether it runs as Python in the notebook itself."""
        return self.is_code and self.magic in _PYTHON_CELLS


@dataclass(frozen=True)
class Document:
    """One notebook file."""

    path: Path  #: where it is
    text: str  #: its JSON text
    encoding: str  #: UTF-8, with or without a byte order mark
    cells: tuple[Cell, ...]  #: its cells

    @classmethod
    def of(cls, path: Path, data: bytes) -> Document:
        """Read the bytes of a notebook; raise `Unreadable` if they are none of format 4."""
        try:
            text, encoding = decoded(data)
            cells = tuple(_cells(text, json.loads(text)["cells"]))
        except json.JSONDecodeError as error:
            raise Unreadable(f"not JSON: {error.msg}", error.lineno) from None
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
            what = "not a notebook of format 4: open it in Jupyter and save it again"
            raise Unreadable(what) from None
        return cls(path, text, encoding, cells)

    def with_sources(self, sources: dict[int, str]) -> bytes:
        """The bytes with new texts for some cells, by number."""
        text = self.text
        for cell in sorted(self.cells, key=lambda cell: cell.span, reverse=True):
            source = sources.get(cell.number, cell.source)
            if source != cell.source:
                start, end = cell.span
                literal = _rewritten(text[start:end], source, self.text.isascii())
                text = text[:start] + literal + text[end:]
        return text.encode(self.encoding)


# Spans of values in a JSON text that is known to be valid.

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def _cells(text: str, cells: Sequence[Any]) -> Iterator[Cell]:
    notebook = dict(_items(text, _after_blank(text, 0)))
    spans = (span for _, span in _items(text, notebook["cells"][0]))
    for number, (cell, (start, _)) in enumerate(zip(cells, spans, strict=True), 1):
        source = "".join(cell.get("source", ""))  # a text, or a list of texts
        is_code = cell.get("cell_type") == "code" and "source" in cell
        yield Cell(number, is_code, source, dict(_items(text, start)).get("source", (start, start)))


def _after_blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    assert match is not None
    return match.end()


def _items(text: str, at: int) -> Iterator[tuple[str, Span]]:
    """The spans of the values of the object or array at a place, with the keys of an object."""
    closing = "}" if text[at] == "{" else "]"
    at = _after_blank(text, at + 1)
    while text[at] != closing:
        key = ""
        if closing == "}":
            key, at = _DECODER.raw_decode(text, at)
            at = _after_blank(text, _after_blank(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        yield key, (at, end)
        at = _after_blank(text, end)
        at = _after_blank(text, at + 1) if text[at] == "," else at


def _rewritten(literal: str, source: str, ascii_only: bool) -> str:
    """The JSON of a new source, in the form of the old: a string, or a list of lines."""
    if not literal.startswith("["):
        return _dumped(source, ascii_only)
    lines = [_dumped(line, ascii_only) for line in source.splitlines(keepends=True)]
    start, end = _after_blank(literal, 1), len(literal[:-1].rstrip())
    separator = f",{literal[1:start] or ' '}"
    return f"{literal[:start]}{separator.join(lines)}{literal[end:]}" if lines else "[]"


def _dumped(text: str, ascii_only: bool) -> str:
    has_surrogates = re.search("[\ud800-\udfff]", text) is not None  # UTF-8 cannot encode them
    return json.dumps(text, ensure_ascii=ascii_only or has_surrogates)


#: Magics whose cell is Python that runs in the notebook itself; an empty name for no magic.
_PYTHON_CELLS = frozenset({"", "capture", "debug", "prun", "time", "timeit"})
#: Magics that may be written without ``%``.
_AUTOMAGICS = "cat|cd|conda|cp|env|load_ext|ls|man|matplotlib|mkdir|mv|pip|pylab|rm|rmdir|run"
#: A piece of IPython with the lines that continue it, after the Python on its line; also a
#: ``__future__`` import, which must come first in a module and which Python 3 does not need.
_IPYTHON = re.compile(
    rf"""
    ^[ \t]*(?:[A-Za-z_][\w., \t\[\]]*=[ \t]*(?=[!%]))?
    (?P<magic>
        (?: (?P<future>from[ ]__future__[ ]import[ ][\w, \t]+(?=\r?$))
        | [!%?,;/]                           # %magic, !command, ?help, automatic calls
        | [\w.*]+\?{{1,2}}[ \t]*(?=\r?$)      # help??
        | (?:{_AUTOMAGICS})[ \t]+[\w./~-]    # a magic without %
        )
        (?:\\\r?\n|[^\r\n])*
    )
    """,
    re.VERBOSE | re.MULTILINE,
)
#: What seems to use the old API in a piece of IPython.
OLD_API = re.compile(r"(?<![\w./-])(?:pedl\.\w|import[ ][^\n]*\bpedl\b|from[ ]+pedl\b)")


@dataclass(frozen=True)
class Magic:
    """A piece of IPython in a cell."""

    text: str  #: its text
    line: int  #: the line of the cell on which it begins, from 1
    #: Its place holder in the module: a statement, because a comment would leave an ``if`` without
    #: a body.
    mask: str


def mask(source: str, first: int) -> tuple[str, tuple[Magic, ...]]:
    """Mask every piece of IPython in a cell, numbered from ``first``; lines keep their numbers."""
    magics: list[Magic] = []
    while (match := _ipython_in(source)) is not None:
        start, end = match.span("magic")
        line = source.count("\n", 0, start) + 1
        name = f"__pedl2det_magic_{first + len(magics)}__"
        magics.append(Magic(match["magic"], line, name + "\n" * match["magic"].count("\n")))
        source = source[:start] + magics[-1].mask + source[end:]
    return source, tuple(magics)


def _ipython_in(source: str) -> re.Match[str] | None:
    """The first piece of a cell that is IPython and not Python; None if there is none."""
    wrong = -1
    try:
        ast.parse(source)
    except (SyntaxError, ValueError) as error:  # or a null byte
        wrong = (getattr(error, "lineno", None) or 1) - 1
    for match in _IPYTHON.finditer(source):
        first = source.count("\n", 0, match.start())
        if match["future"] or first <= wrong <= first + match[0].count("\n"):
            return match
    return None


def unmask(text: str, magics: tuple[Magic, ...]) -> str:
    """Put back the IPython of a cell; a `ValueError` names that whose mask is not there once."""
    for magic in magics:
        if text.count(magic.mask) != 1:
            raise ValueError(f"{magic.text.splitlines()[0]} of line {magic.line}")
        text = text.replace(magic.mask, magic.text)
    return text


_BORDER = "# %% pedl2det: cell {} begins"
_BORDERS = re.compile(r"^# %% pedl2det: cell (\d+) begins\r?\n", re.MULTILINE)


@dataclass(frozen=True)
class NotebookSource(Source):
    """The Python cells of a notebook as one module."""

    document: Document  #: the notebook
    magics: dict[int, tuple[Magic, ...]]  #: the masked IPython, by cell
    places: tuple[tuple[int, int], ...]  #: for each line of the text its cell, and its line there

    @classmethod
    def read(cls, path: Path) -> NotebookSource:
        """Read a notebook; raise `Unreadable` if it is none, or its cells are not Python 3."""
        return cls.parsed(Document.of(path, read_bytes(path)))

    @classmethod
    def parsed(cls, document: Document) -> NotebookSource:
        """Parse the Python cells of a notebook; raises as :meth:`read`."""
        text, places = "", [(1, 1)]
        magics: dict[int, tuple[Magic, ...]] = {}
        cells = [cell for cell in document.cells if cell.is_python]
        newline = "\r\n" if any("\r\n" in cell.source for cell in cells) else "\n"
        for cell in cells:
            first = sum(len(cell_magics) for cell_magics in magics.values())
            masked, magics[cell.number] = mask(cell.source, first)
            text += _BORDER.format(cell.number) + newline
            text += masked + (newline if masked else "")
            lines = range(1, masked.count("\n") + 2) if masked else ()
            places += [(cell.number, line) for line in (1, *lines)]
        try:
            tree = Source.of(document.path, text).tree
        except Unreadable as error:
            number, line = places[min(error.line, len(places) - 1)]
            raise Unreadable(str(error), line, number) from None
        return cls(document.path, text, document.encoding, tree, document, magics, tuple(places))

    def place(self, line: int) -> tuple[int | None, int]:
        """The cell of a line, and its line there."""
        return self.places[min(line, len(self.places) - 1)]

    def encoded(self, text: str) -> bytes:
        """The bytes of the notebook with a new text; a `ValueError` names what that lacks."""
        old, new = _chunks(self.text), _chunks(text)
        if list(old) != list(new):
            raise ValueError("the border of a cell")
        cells = {cell.number: cell for cell in self.document.cells}
        sources = {}
        for number, chunk in new.items():
            if chunk != old[number]:
                source = unmask(chunk, self.magics[number]).removesuffix("\n").removesuffix("\r")
                sources[number] = _fitted(source, cells[number].source)
        return self.document.with_sources(sources)

    def problem_with(self, text: str) -> str | None:
        """Why the notebook cannot have a new text, or None."""
        try:
            data = self.encoded(text)
            again = NotebookSource.parsed(Document.of(self.path, data))
        except ValueError as error:
            return f"would lose {error}"
        is_same = _stripped(again.text) == _stripped(text)
        return None if is_same else "would not read back as it was written"


def _chunks(text: str) -> dict[int, str]:
    """The text of each cell, and as number 0 the text before the first."""
    before, *parts = _BORDERS.split(text)
    chunks = {int(number): chunk for number, chunk in zip(parts[::2], parts[1::2], strict=True)}
    return ({0: before} if before else {}) | chunks


def _fitted(source: str, old: str) -> str:
    """A new source without blank lines at its ends where the old one had none."""
    if not source.strip():
        return ""
    if not old.startswith(("\n", "\r")):
        source = source.lstrip("\r\n")
    return source if old.endswith(("\n", "\r")) else source.rstrip("\r\n")


def _stripped(text: str) -> dict[int, str]:
    return {number: chunk.strip("\r\n") for number, chunk in _chunks(text).items()}
