"""What a migration does, or would do."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path

from pedl2det.findings import Finding, Kind
from pedl2det.flow.metric_names import MetricNames
from pedl2det.plan import Change


@dataclass(frozen=True)
class NewFile:
    """A file and what it shall hold.

    Attributes:
        path: where it is.
        old: its bytes.
        new: its new bytes.
    """

    path: Path
    old: bytes
    new: bytes


@dataclass
class Result:
    """What a migration does, or would do.

    Attributes:
        files: the files to write.
        changes: the places that rules rewrote.
        findings: what there is to say.
        trials: how many old trials were found.
        migrated: how many of them are rewritten.
        rewritten: legacy names that will be gone.
        refused: legacy names that stay, each with a finding.
        suppressed: legacy names that stay because the user said so.
        metric_names: what becomes of the names of metrics, by the trial's directory.
    """

    files: list[NewFile] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    trials: int = 0
    migrated: int = 0
    rewritten: int = 0
    refused: int = 0
    suppressed: int = 0
    metric_names: dict[Path, MetricNames] = field(default_factory=dict)

    def add(self, part: Result) -> None:
        """Take in what a part of the migration does."""
        for name in (attribute.name for attribute in fields(self)):
            mine, theirs = getattr(self, name), getattr(part, name)
            setattr(self, name, mine | theirs if isinstance(mine, dict) else mine + theirs)

    def changes_by_file(self) -> dict[Path, list[Change]]:
        """The places that rules rewrote, by file."""
        found: dict[Path, list[Change]] = {}
        for change in self.changes:
            found.setdefault(change.path, []).append(change)
        return found

    def of_kind(self, kind: Kind) -> list[Finding]:
        """The findings of one kind."""
        return [finding for finding in self.findings if finding.kind is kind]
