"""What a migration does, or would do."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from enum import Enum
from pathlib import Path

from pedl2det.findings import Finding, Kind


class Status(Enum):
    """How far a trial is migrated."""

    REWRITTEN = "rewritten"
    BEGUN = "begun"
    SUPPRESSED = "left by your choice"

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to a person; that it trains the same is for a proof to say."""
        return self is Status.REWRITTEN


@dataclass(frozen=True)
class NewFile:
    """A file and its new content.

    Attributes:
        path: the file.
        old: its bytes; None if there is no such file.
        new: its new bytes.
    """

    path: Path
    old: bytes | None
    new: bytes


@dataclass(frozen=True)
class Change:
    """A place that a rule rewrote.

    Attributes:
        rule: the id of the rule.
        path: the file.
        line: the line of the old text, from 1.
        cell: the cell in which the line is counted, if the file is a notebook.
    """

    rule: str
    path: Path
    line: int
    cell: int | None = None


@dataclass(frozen=True)
class Proof:
    """What training a trial before and after its migration has shown, and how.

    Attributes:
        directory: the trial.
        outcome: "equal", "different", ... as `verify` concludes.
        message: the verdict in one line.
        batches: how many batches of both were compared.
        total: how many the config asks for; None if that is not known.
        configs: the experiment configs that the trials were trained by.
        date: when, in ISO 8601.
        versions: of pedl2det, Python and what trained.
        commit: the commit of the trial; "" if it is in no repository of git.
        seed: of both trainings; None if none has begun.
        seconds: how long the verification took.
        page: the page that shows it in full, if one was written.
    """

    directory: Path
    outcome: str
    message: str
    batches: int
    total: int | None
    configs: tuple[Path, ...]
    date: str
    versions: str
    commit: str = ""
    seed: int | None = None
    seconds: float = 0.0
    page: Path | None = None

    @property
    def is_equal(self) -> bool:
        """Whether old and new trained the same."""
        return self.outcome == "equal"

    @property
    def refutes(self) -> bool:
        """Whether the new trial fails or differs, while the old one repeats itself."""
        return self.outcome in ("different", "new does not train")


@dataclass(frozen=True)
class Outcome:
    """What becomes of one trial.

    Attributes:
        directory: the directory of the trial.
        status: how far it is migrated.
        written: whether its files are in the result.
        places: how many places rules rewrote.
        left: how many findings name something that is left.
        files: the files that change.
        configs: its experiment configs.
        proof: what a verification of it has shown, if there was one.
    """

    directory: Path
    status: Status
    written: bool
    places: int
    left: int
    files: tuple[Path, ...] = ()
    configs: tuple[Path, ...] = ()
    proof: Proof | None = None

    @property
    def is_proved(self) -> bool:
        """Whether a verification has shown that it trains the same."""
        return self.proof is not None and self.proof.is_equal


@dataclass
class Result:
    """What a migration does, or would do.

    Attributes:
        files: the files to write.
        changes: the places that rules rewrote.
        findings: what there is to say.
        outcomes: what becomes of each trial.
        rewritten: legacy names that are gone.
        marked: legacy names that stay, each with a finding.
        suppressed: legacy names that stay because the user wants it.
        tracebacks: the stacks of defects of ours.
    """

    files: list[NewFile] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    rewritten: int = 0
    marked: int = 0
    suppressed: int = 0
    tracebacks: list[str] = field(default_factory=list)

    def add(self, part: Result) -> None:
        """Take in what a part of the migration does."""
        for name in (attribute.name for attribute in fields(self)):
            mine, theirs = getattr(self, name), getattr(part, name)
            setattr(self, name, mine | theirs if isinstance(mine, dict) else mine + theirs)

    @property
    def trials(self) -> int:
        """How many old trials were found."""
        return len(self.outcomes)

    @property
    def migrated(self) -> int:
        """How many of them are rewritten, with nothing left."""
        return sum(one.status.is_finished for one in self.outcomes)

    @property
    def proved(self) -> int:
        """How many of them are proved to train the same."""
        return sum(one.is_proved for one in self.outcomes)

    @property
    def names(self) -> int:
        """How many legacy names were found."""
        return self.rewritten + self.marked + self.suppressed

    def without(self, number: int, finding: Finding) -> Result:
        """Return the result without the files of a trial, which a person has to finish."""
        outcome = self.outcomes[number]
        left = replace(outcome, status=Status.BEGUN, written=False, left=outcome.left + 1, files=())
        return replace(
            self,
            files=[file for file in self.files if file.path not in outcome.files],
            changes=[change for change in self.changes if change.path not in outcome.files],
            findings=[*self.findings, finding],
            outcomes=[*self.outcomes[:number], left, *self.outcomes[number + 1 :]],
        )

    def changes_by_file(self) -> dict[Path, list[Change]]:
        """The places that rules rewrote, by file."""
        found: dict[Path, list[Change]] = {}
        for change in self.changes:
            found.setdefault(change.path, []).append(change)
        return found

    def of_kind(self, *kinds: Kind) -> list[Finding]:
        """The findings of some kinds."""
        return [finding for finding in self.findings if finding.kind in kinds]
