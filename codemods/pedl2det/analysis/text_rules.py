"""What a rule about a text that is no Python code is and returns."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pedl2det.findings import Kind


@dataclass(frozen=True)
class TextRule:
    """One rule about configs, commands, notebooks or requirements.

    Attributes:
        id: its code, as reports print it.
        name: its name in words.
        doc: what it rewrites to what, and why.
        file: the name of the file of its example; empty if there is none.
        before: the text before.
        after: the text after; the same for a rule that only reports.
        check: for a config, ``check(config, facts)`` yields edits and findings.
    """

    id: str
    name: str
    doc: str
    file: str = ""
    before: str = ""
    after: str = ""
    check: Callable[..., Any] | None = None

    @property
    def example(self) -> str:
        """What it changes in the text of its example; empty if it has none."""
        lines = difflib.ndiff(self.before.splitlines(), self.after.splitlines())
        changes = "".join(f"{line.rstrip()}\n" for line in lines if not line.startswith("? "))
        return f"--- {self.file}\n{changes}" if self.file else ""


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
        kind: what it means for the user.
        message: what was found and why it matters.
        help: what to write; empty where nothing is left to do.
        mark: the key of a config above which a place that is left gets a TODO comment.
    """

    rule: str
    line: int
    kind: Kind
    message: str
    help: str = ""
    mark: tuple[str, ...] = ()


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
