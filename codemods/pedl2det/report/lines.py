"""The lines of a changed file, as they are and as they may be shown."""

from __future__ import annotations

from dataclasses import dataclass

from pedl2det.engine.result import NewFile
from pedl2det.report.hiding import Hider


@dataclass(frozen=True)
class Lines:
    """One side of a change.

    Attributes:
        real: the lines, with their ends.
        shown: the same lines without credentials.
    """

    real: list[str]
    shown: list[str]

    def hides(self, start: int, end: int) -> bool:
        """Whether a credential stands in some lines."""
        return self.real[start:end] != self.shown[start:end]


def both_sides(file: NewFile, hider: Hider) -> tuple[Lines, Lines]:
    """The lines of a file before and after."""
    old, new = (_lines(file, data, hider) for data in (file.old or b"", file.new))
    return old, new


def _lines(file: NewFile, data: bytes, hider: Hider) -> Lines:
    """Lines as git counts them, holding every byte: ``surrogateescape`` writes it again."""
    text = data.decode("utf-8", errors="surrogateescape")
    return Lines(_split(text), _split(hider.in_file(file.path, text)))


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + [line for line in lines[-1:] if line]
