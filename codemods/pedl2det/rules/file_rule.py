"""A rule about files that follow from their own text: shell lines, requirements."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pedl2det.findings import Finding, Kind
from pedl2det.plan import Change
from pedl2det.rules.rule import Case, Safety


@dataclass
class Outcome:
    """What a rule makes of one file.

    Attributes:
        data: its bytes, new or as they were.
        changes: the places that are rewritten, one for each legacy name.
        findings: what there is to say.
        refused: legacy names that stay, each with a finding.
    """

    data: bytes
    changes: list[Change] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    refused: int = 0

    def refuse(self, rule: str, path: Path, line: int, message: str, cell: int | None) -> None:
        """Leave one legacy name as it is: a person decides about it."""
        self.findings.append(Finding(Kind.PERSON, rule, path, line, message, cell))
        self.refused += 1


@dataclass(frozen=True)
class FileRule:
    """One rule about one kind of file, whatever becomes of the trials around it.

    Attributes:
        id: its code, as reports print it.
        name: its name in words.
        doc: what it rewrites to what, and why.
        safety: what it may do to the training.
        applies: whether a file is of that kind.
        rewrite: what becomes of its bytes.
        cases: its evidence; the first is its example in the docs.
    """

    id: str
    name: str
    doc: str
    safety: Safety
    applies: Callable[[Path], bool]
    rewrite: Callable[[Path, bytes], Outcome]
    cases: tuple[Case, ...]


def notebook(*cells: str) -> str:
    """The text of a notebook with these code cells, for a :class:`Case`."""
    written = [
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {},
            "outputs": [],
            "source": cell.splitlines(keepends=True),
        }
        for cell in cells
    ]
    value = {"cells": written, "metadata": {}, "nbformat": 4, "nbformat_minor": 2}
    return json.dumps(value, indent=1) + "\n"
