"""Findings as annotations of GitHub's workflows: one command a line."""

from __future__ import annotations

from collections.abc import Iterator

from pedl2det.engine.result import Result
from pedl2det.findings import Finding
from pedl2det.report.content import LEVELS, findings_of, printable
from pedl2det.visible import shown

_COMMANDS = {"note": "notice", "warning": "warning", "error": "error"}
_IN_TEXT = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTY = _IN_TEXT | {":": "%3A", ",": "%2C"}


def lines(result: Result) -> Iterator[str]:
    """One line a finding, the most urgent first: GitHub shows ten of a level in each step."""
    for finding, message in findings_of(result):
        yield _annotation(finding, message)


def _annotation(finding: Finding, message: str) -> str:
    properties = {
        "file": printable(shown(finding.path)),
        "line": str(finding.line),
        "title": f"pedl2det ({finding.rule})",
    }
    encoded = ",".join(f"{key}={_encoded(text, _IN_PROPERTY)}" for key, text in properties.items())
    command = _COMMANDS[LEVELS[finding.kind]]
    text = _encoded(f"{finding.kind.value}: {message}", _IN_TEXT)
    return f"::{command} {encoded}::{text}"


def _encoded(text: str, codes: dict[str, str]) -> str:
    return "".join(codes.get(character, character) for character in text)
