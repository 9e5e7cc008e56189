"""What migrate has to say about a place: data, for every kind of report."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Unreadable(Exception):  # noqa: N818 - what a file is
    """A file that cannot be understood.

    Attributes:
        line: the line on which reading failed.
        cell: the cell of the notebook in which that line stands, if it is one.
    """

    def __init__(self, message: str, line: int = 1, cell: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.cell = cell


class Unclear(Exception):  # noqa: N818 - what a place is
    """What a place of the code means cannot be seen, so that it is left.

    Attributes:
        node: the place.
    """

    def __init__(self, node: ast.AST, message: str) -> None:
        super().__init__(message)
        self.node = node


class NoPlace(Exception):  # noqa: N818 - what is missing
    """A statement shares its line with others, so that it cannot be edited alone.

    Attributes:
        line: the line.
    """

    def __init__(
        self, line: int, message: str = "several statements stand on this line: give each its own"
    ) -> None:
        super().__init__(message)
        self.line = line


class Kind(Enum):
    """What a finding means for the user."""

    NOTE = "note"  #: done; worth knowing
    DIFFERENT = "trains differently"  #: done; what is trained differs, and why
    PERSON = "left for you"  #: left as it was; a person decides
    SUPPRESSED = "left by your choice"  #: left as it was; the user said so
    BAD_INPUT = "bad input"  #: left as it was; it cannot be what was meant

    @property
    def is_left(self) -> bool:
        """Whether what it is about stays as it was."""
        return self in (Kind.PERSON, Kind.SUPPRESSED, Kind.BAD_INPUT)


@dataclass(frozen=True)
class Finding:
    """Something to say about one place.

    Attributes:
        kind: what it means for the user.
        rule: the rule that says it.
        path: the file.
        line: the line, from 1.
        message: what is there, and what to do about it.
        cell: the cell in which the line is counted, if the file is a notebook.
    """

    kind: Kind
    rule: str
    path: Path
    line: int
    message: str
    cell: int | None = None

    @property
    def place(self) -> str:
        """Where in the file it is: ``12``, or ``cell 3:12``."""
        return f"{self.line}" if self.cell is None else f"cell {self.cell}:{self.line}"

    def __str__(self) -> str:
        return f"{self.path}:{self.place}: {self.rule}: {self.message}"
