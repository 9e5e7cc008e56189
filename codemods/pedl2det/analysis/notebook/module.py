"""A notebook as one Python module: a class of cell 3 may be used in cell 9.

The code cells stand one after the other, with a comment between two of them. An edit of that text
is taken apart at those comments, and only cells that changed are written.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from pedl2det.analysis.notebook.document import Cell, Document
from pedl2det.analysis.notebook.magics import PYTHON_CELLS, Magic, mask, unmask
from pedl2det.analysis.source import Source
from pedl2det.analysis.tree import read_bytes
from pedl2det.findings import Unreadable

_BORDER = "# %% pedl2det: cell {} begins"
_BORDERS = re.compile(r"^# %% pedl2det: cell (\d+) begins\r?\n", re.MULTILINE)


@dataclass(frozen=True)
class NotebookSource(Source):
    """The Python cells of a notebook as one module.

    Attributes:
        document: the notebook.
        magics: what its masks stand for, by cell.
        places: for each line of the text its cell, and its line there.
    """

    document: Document
    magics: dict[int, tuple[Magic, ...]]
    places: tuple[tuple[int, int], ...]

    @classmethod
    def read(cls, path: Path) -> NotebookSource:
        """Read and parse a notebook.

        Raises:
            Unreadable: it is not a notebook, or its cells are not Python 3.
        """
        return cls.parsed(Document.of(path, read_bytes(path)))

    @classmethod
    def parsed(cls, document: Document) -> NotebookSource:
        """Parse the Python cells of a notebook; raises as :meth:`read`."""
        text, places = "", [(1, 1)]
        magics: dict[int, tuple[Magic, ...]] = {}
        cells = python_cells(document)
        newline = "\r\n" if any("\r\n" in cell.source for cell in cells) else "\n"
        for cell in cells:
            first = sum(len(one) for one in magics.values())
            masked, magics[cell.number] = mask(cell.source, first, bool(cell.magic))
            text += _BORDER.format(cell.number) + newline
            text += masked + (newline if masked else "")
            lines = range(1, masked.count("\n") + 2) if masked else ()
            places += [(cell.number, line) for line in (1, *lines)]
        try:
            tree = Source.of(document.path, text).tree
        except Unreadable as error:
            number, line = places[min(error.line, len(places) - 1)]
            raise Unreadable(str(error), line, number) from None
        return cls(
            document.path, text, "utf-8", document.bom, tree, document, magics, tuple(places)
        )

    @property
    def is_module(self) -> bool:
        """Nobody can import a notebook."""
        return False

    def place(self, line: int) -> tuple[int | None, int]:
        """The cell of a line, and its line there."""
        return self.places[min(line, len(self.places) - 1)]

    def encoded(self, text: str) -> bytes:
        """The bytes of the notebook with a new text, in which :meth:`problem_with` sees none."""
        return self.document.with_sources(self._sources(text))

    def problem_with(self, text: str) -> str | None:
        """Why the notebook cannot have a new text, or None."""
        try:
            data = self.encoded(text)
            again = NotebookSource.parsed(Document.of(self.path, data))
        except ValueError as error:
            return f"would lose {error}"
        except Unreadable as error:
            return f"would not be a notebook: {error}"
        if _stripped(again.text) != _stripped(text):
            return "would not read back as it was written"
        late = _late_import(self.tree, again.tree)
        return f"would import {late} below its use" if late else None

    def _sources(self, text: str) -> dict[int, str]:
        """The cells that a text changes.

        Raises:
            ValueError: a cell's border or some IPython is gone; the message names it.
        """
        old, new = _chunks(self.text), _chunks(text)
        if list(old) != list(new):
            raise ValueError("the border of a cell")
        cells = {cell.number: cell for cell in self.document.cells}
        sources = {}
        for number, chunk in new.items():
            if chunk == old[number]:
                continue
            source = unmask(chunk, self.magics[number]).removesuffix("\n").removesuffix("\r")
            sources[number] = _fitted(source, cells[number].source)
        return sources


def python_cells(document: Document) -> list[Cell]:
    """The cells that run as Python in the notebook itself."""
    return [
        cell
        for cell in document.cells
        if cell.is_code
        and cell.language in ("", "python")
        and (not cell.magic or cell.magic in PYTHON_CELLS)
    ]


def _chunks(text: str) -> dict[int, str]:
    """The text of each cell; 0 is what stands before the first."""
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


def _late_import(old: ast.Module, new: ast.Module) -> str | None:
    """A name that is newly imported below a place that uses it: cells run from the top."""
    present = _imported(old)
    lines = {name: line for name, line in _imported(new).items() if name not in present}
    for node in ast.walk(new):
        if isinstance(node, ast.Name) and node.lineno < lines.get(node.id, 0):
            return node.id
    return None


def _imported(tree: ast.Module) -> dict[str, int]:
    return {
        alias.asname or alias.name.partition(".")[0]: node.lineno
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
