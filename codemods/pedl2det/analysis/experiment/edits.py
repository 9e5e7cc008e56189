"""Edits of a config, as values: what becomes of a key, not how it is written.

Paths are those of the config before any edit. The edits of one config do not depend on their
order, but for insertions into one mapping.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pedl2det.analysis.config import Entry, KeyPath, whole_number
from pedl2det.analysis.text_rules import TextFinding
from pedl2det.findings import Kind


@dataclass(frozen=True)
class _OfKey:
    """An edit of a key that is there, by a rule."""

    rule: str
    entry: Entry

    @property
    def path(self) -> KeyPath:
        """The key."""
        return self.entry.path

    @property
    def line(self) -> int:
        """The line of the key."""
        return self.entry.line


@dataclass(frozen=True)
class Put(_OfKey):
    """Give a key another name, another value, or both.

    Attributes:
        rule: the id of the rule.
        entry: the key.
        name: its new name; None keeps the old one.
        value: its new text; None keeps the old value.
        unit: the only key of a mapping around the new text, as in ``{batches: 100}``.
    """

    name: str | None = None
    value: str | None = None
    unit: str = ""

    @property
    def message(self) -> str:
        """The edit in words."""
        new = self.name or self.path[-1]
        if self.value is None:
            return f"{self.entry.name} is {new}"
        value = f"{{{self.unit}: {self.value}}}" if self.unit else self.value
        return f"{self.entry.name} is {new}: {value}"


@dataclass(frozen=True)
class Delete(_OfKey):
    """Remove a key and its value.

    Attributes:
        rule: the id of the rule.
        entry: the key.
        comments: lines of comment to write in its place.
    """

    comments: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """The edit in words."""
        return f"{self.entry.name} is removed"


@dataclass(frozen=True)
class Insert:
    """Add a key to the end of a mapping; the value is a scalar, or a mapping in braces.

    Attributes:
        rule: the id of the rule.
        path: the new key.
        value: its text.
        line: the line that reports name.
    """

    rule: str
    path: KeyPath
    value: str
    line: int = 1

    @property
    def message(self) -> str:
        """The edit in words."""
        return f"{'.'.join(self.path)}: {self.value}"


Edit = Put | Delete | Insert


@dataclass(frozen=True)
class ConfigFacts:
    """What the code of the trial and the user's options say about a config.

    Attributes:
        entrypoint: the trial that the config trains, as ``module:Class``.
        metric_renames: the names of metrics that the trial reports under another name now.
        batch_size: the batch size that a script cuts its data by, without a hyperparameter.
        cluster: whether the config is for a Determined cluster.
    """

    entrypoint: str | None = None
    metric_renames: Mapping[str, str] = field(default_factory=dict)
    batch_size: int | None = None
    cluster: bool = False


def left(rule: str, entry: Entry, message: str, help_: str) -> TextFinding:
    """A place that a person rewrites; its config does not run before."""
    text = f"{entry.name}: {message}; this config does not run until it is changed"
    return TextFinding(rule, entry.line, Kind.LEFT, text, help_, entry.path)


def number(entry: Entry | None, least: int = 1) -> int | None:
    """The value of a whole number, or None if it is not one."""
    value = whole_number((entry and entry.scalar) or "")
    return value if value is not None and value >= least else None
