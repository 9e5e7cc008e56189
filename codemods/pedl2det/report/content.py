"""What every report for machines says: levels, names of kinds, places, without credentials."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pedl2det.findings import Finding, Kind
from pedl2det.migrate import Result
from pedl2det.plan import Change
from pedl2det.report.hiding import Hider
from pedl2det.report.text import shown
from pedl2det.rules import RULES

LEVELS = {
    Kind.NOTE: "note",
    Kind.DIFFERENT: "note",
    Kind.SUPPRESSED: "note",
    Kind.PERSON: "warning",
    Kind.BAD_INPUT: "error",
}
TITLES = {rule.id: rule.name for rule in RULES}


def findings_of(result: Result) -> Iterator[tuple[Finding, str]]:
    """Every finding, the most urgent first, with its message as it may be shown."""
    hider = Hider.of(result)
    for kind in reversed(Kind):
        for finding in result.of_kind(kind):
            yield finding, printable(hider.in_prose(finding.message))


def in_order(changes: list[Change]) -> list[Change]:
    """Changes as they stand in the files: rules plan in an order of their own."""
    return sorted(changes, key=lambda change: (change.path, change.line, change.rule))


def as_object(finding: Finding, message: str) -> dict[str, Any]:
    """A finding as JSON says it."""
    return {
        "kind": finding.kind.name.lower(),
        "rule": finding.rule,
        "path": printable(shown(finding.path)),
        "line": finding.line,
        "message": message,
    }


def printable(name: str) -> str:
    """A file's name that every encoding can write: bytes that are no text become escapes."""
    return name.encode("utf-8", errors="backslashreplace").decode("utf-8")
