"""What becomes of a text that is no Python code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["note", "different", "left"]


@dataclass(frozen=True)
class TextChange:
    """One rewritten place.

    Attributes:
        rule: the id of the rule.
        line: the line of the old text, from 1.
        message: what was rewritten.
    """

    rule: str
    line: int
    message: str


@dataclass(frozen=True)
class TextFinding:
    """Something to say about a place.

    Attributes:
        rule: the id of the rule.
        line: the line of the old text, from 1.
        kind: ``note``; ``different``: rewritten, and does something else; ``left``: for a person.
        message: what was found and why it matters.
        help: what to write; empty where nothing is left to do.
    """

    rule: str
    line: int
    kind: Kind
    message: str
    help: str = ""


@dataclass(frozen=True)
class TextResult:
    """The new text, and what there is to say about it.

    Attributes:
        text: the new text; the old one if nothing changed.
        changes: the rewritten places.
        findings: the rest.
    """

    text: str
    changes: tuple[TextChange, ...] = ()
    findings: tuple[TextFinding, ...] = ()
