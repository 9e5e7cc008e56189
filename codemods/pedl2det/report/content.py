"""What every report says: findings without credentials, and the words for their kinds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pedl2det.engine.result import Result
from pedl2det.findings import Finding, Kind
from pedl2det.report.hiding import Hider


@dataclass(frozen=True)
class Words:
    """How reports say a kind of finding.

    Attributes:
        label: how a line about a finding begins; what a person has to do needs no label.
        level: "note", "warning" or "error", as machines count.
        color: its color on a terminal.
        one: what one of it is called in a count.
        many: what several are called.
    """

    label: str
    level: str
    color: str
    one: str
    many: str


WORDS = {
    Kind.NOTE: Words("note: ", "note", "cyan", "note", "notes"),
    Kind.DIFFERENT: Words(
        "trains differently: ", "note", "yellow", "trains differently", "train differently"
    ),
    Kind.LEFT: Words("", "warning", "red", "left", "left"),
    Kind.LEFTOVER: Words(
        *("no trial needs this file: ", "note", "yellow", "left in no trial", "left in no trial")
    ),
    Kind.SUPPRESSED: Words(
        *("left by your choice: ", "note", "yellow", "left by your choice", "left by your choice")
    ),
    Kind.BAD_INPUT: Words("bad input: ", "error", "red", "bad input", "bad inputs"),
    Kind.DEFECT: Words(
        "defect of pedl2det: ", "error", "magenta", "defect of pedl2det", "defects of pedl2det"
    ),
}


def findings_of(result: Result) -> Iterator[Finding]:
    """Every finding, the most urgent first, as it may be shown."""
    hider = Hider.of(result)
    for kind in reversed(Kind):
        for finding in result.of_kind(kind):
            yield replace(
                finding,
                message=printable(hider.in_prose(finding.message)),
                help=printable(hider.in_prose(finding.help)),
            )


def printable(name: str) -> str:
    """A text that every encoding can write: bytes that are no text become escapes."""
    return name.encode("utf-8", errors="backslashreplace").decode("utf-8")
