"""Findings: what migrate reports about a place, as data for every kind of report."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Unreadable(Exception):  # noqa: N818 - describes the file, not the failure
    """A file that cannot be read as code, config or notebook."""

    def __init__(self, message: str, line: int = 1, cell: int | None = None) -> None:
        super().__init__(message)
        self.line = line  #: on which reading failed, from 1
        self.cell = cell  #: of the notebook that holds this line, if the file is a notebook


class Kind(Enum):
    """What a finding means for the user; the most urgent kinds come last."""

    NOTE = "note"  #: rewritten; worth knowing
    SUPPRESSED = "left by your choice"  #: untouched because of a comment or an option
    DIFFERENT = "trains differently"  #: rewritten; training differs from the old harness, and why
    LEFTOVER = "in no trial"  #: marked or untouched in a file that no trial needs
    LEFT = "left for you"  #: marked or untouched; a person decides
    BAD_INPUT = "bad input"  #: untouched because the file cannot be read
    DEFECT = "defect of pedl2det"  #: untouched because a rule failed

    @property
    def is_left(self) -> bool:
        """Whether something of the old code stays."""
        return self not in (Kind.NOTE, Kind.DIFFERENT)


@dataclass(frozen=True)
class Finding:
    """A report about one place."""

    kind: Kind  #: what it means for the user
    rule: str  #: the id of the rule that reports it
    path: Path  #: the file
    line: int  #: the line, from 1
    message: str  #: what was found and why it matters
    help: str = ""  #: the code to write, or what to do; empty where nothing is left to do
    column: int = 0  #: the column of the first character, from 1; 0 if the whole line is meant
    end_column: int = 0  #: the column after the last character on that line
    code: str = ""  #: the line of code
    cell: int | None = None  #: the cell in which the line is counted, if the file is a notebook

    @property
    def place(self) -> str:
        """The place in the file: ``12``, or ``cell 3:12``."""
        return f"{self.line}" if self.cell is None else f"cell {self.cell}:{self.line}"

    def __str__(self) -> str:
        return f"{self.path}:{self.place}: {self.rule}: {self.message}"
