"""What every report for machines says: levels, names of kinds, places, without credentials."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pedl2det.engine.result import Change, Result
from pedl2det.findings import Finding, Kind
from pedl2det.report.hiding import Hider
from pedl2det.visible import shown

LEVELS = {
    Kind.NOTE: "note",
    Kind.DIFFERENT: "note",
    Kind.ASSUMPTION: "note",
    Kind.SUPPRESSED: "note",
    Kind.LEFT: "warning",
    Kind.LEFTOVER: "note",
    Kind.BAD_INPUT: "error",
    Kind.DEFECT: "error",
}


def findings_of(result: Result) -> Iterator[tuple[Finding, str]]:
    """Every finding, the most urgent first, with its message as it may be shown."""
    hider = Hider.of(result)
    for finding in by_urgency(result):
        help_ = printable(hider.in_prose(finding.help))
        yield replace(finding, help=help_), printable(hider.in_prose(finding.message))


def by_urgency(result: Result) -> Iterator[Finding]:
    """Every finding, the most urgent first."""
    for kind in reversed(Kind):
        yield from result.of_kind(kind)


def in_order(changes: list[Change]) -> list[Change]:
    """Return changes in the order of the files and their lines."""
    return sorted(changes, key=lambda change: (change.path, change.line, change.rule))


def as_object(finding: Finding, message: str) -> dict[str, Any]:
    """A finding as JSON says it."""
    return {
        "kind": finding.kind.name.lower(),
        "rule": finding.rule,
        "path": printable(shown(finding.path)),
        "cell": finding.cell,
        "line": finding.line,
        "column": finding.column,
        "end_column": finding.end_column,
        "message": message,
        "help": finding.help,
    }


def printable(name: str) -> str:
    """A file's name that every encoding can write: bytes that are no text become escapes."""
    return name.encode("utf-8", errors="backslashreplace").decode("utf-8")
