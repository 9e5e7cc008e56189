"""What migrate has to say about a place: data, for every kind of report."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Unreadable(Exception):  # noqa: N818 - what a file is
    """A file that cannot be understood.

    Attributes:
        line: the line on which reading failed.
    """

    def __init__(self, message: str, line: int = 1) -> None:
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
    """

    kind: Kind
    rule: str
    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"
