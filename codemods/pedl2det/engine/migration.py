"""The options of a migration, the record that its stages add to, and its result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from pathlib import Path

from pedl2det.analysis.project import Reading
from pedl2det.analysis.trial import Trial
from pedl2det.findings import Finding, Kind
from pedl2det.fixes import Fix, Remark

#: Line numbers by file.
Lines = Mapping[Path, frozenset[int]]


class Status(Enum):
    """How far a trial is migrated."""

    REWRITTEN = "rewritten"
    BEGUN = "begun"
    SUPPRESSED = "left by your choice"

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to a person. Only a proof tells whether it trains the same."""
        return self is Status.REWRITTEN


@dataclass(frozen=True)
class NewFile:
    """A file and its new content."""

    path: Path  #: the file
    old: bytes | None  #: its bytes; None if there is no such file
    new: bytes  #: its new bytes


@dataclass(frozen=True)
class Change:
    """A place that a rule rewrote."""

    rule: str  #: the id of the rule
    path: Path  #: the file
    line: int  #: the line of the old text, from 1
    cell: int | None = None  #: the cell in which the line is counted, if the file is a notebook


@dataclass(frozen=True)
class Proof:
    """What training a trial before and after its migration showed, and how it was done."""

    directory: Path  #: the trial
    outcome: str  #: "equal", "different", ... as `verify` concludes.
    message: str  #: the verdict in one line
    batches: int = 0  #: how many batches of both were compared
    total: int | None = None  #: how many the config asks for; None if that is not known
    configs: tuple[Path, ...] = ()  #: the experiment configs that the trials were trained by
    date: str = ""  #: when, in ISO 8601
    versions: str = ""  #: of pedl2det, Python, TensorFlow and Keras
    commit: str = ""  #: the commit of the trial; "" if it is in no git repository
    seed: int | None = None  #: of both trainings; None if none has begun
    seconds: float = 0.0  #: how long the verification took
    #: The lines of the new code that no training executed: nothing is proved of them.
    unrun: Lines = field(default_factory=dict)
    #: The same for the old code, with an entry for every file that was imported.
    unseen: Lines = field(default_factory=dict)

    @property
    def is_equal(self) -> bool:
        """Whether old and new trained the same."""
        return self.outcome == "equal"

    @property
    def refutes(self) -> bool:
        """Whether the new trial fails, or differs from an old one that is repeatable."""
        return self.outcome in ("different", "new does not train")


@dataclass(frozen=True)
class Outcome:
    """What a migration does to one trial."""

    directory: Path  #: the directory of the trial
    status: Status  #: how far it is migrated
    written: bool  #: whether its files are in the result
    places: int  #: how many places rules rewrote
    left: int  #: how many findings are left
    files: tuple[Path, ...] = ()  #: the files that change
    configs: tuple[Path, ...] = ()  #: its experiment configs
    proof: Proof | None = None  #: the result of its verification, if there was one

    @property
    def is_to_prove(self) -> bool:
        """Whether it can be proved: nothing is left, and its files are in the result."""
        return self.status.is_finished and self.written

    @property
    def is_proved(self) -> bool:
        """Whether a verification has shown that it trains the same."""
        return self.proof is not None and self.proof.is_equal


@dataclass
class Result:
    """What a migration does, or would do."""

    files: list[NewFile] = field(default_factory=list)  #: the files to write
    changes: list[Change] = field(default_factory=list)  #: the places that rules rewrote
    findings: list[Finding] = field(default_factory=list)  #: what is reported
    outcomes: list[Outcome] = field(default_factory=list)  #: what is done to each trial
    rewritten: int = 0  #: legacy names that are gone
    marked: int = 0  #: legacy names that stay, each with a finding
    suppressed: int = 0  #: legacy names that stay because the user wants it
    tracebacks: list[str] = field(default_factory=list)  #: of defects in pedl2det

    def add(self, part: Result) -> None:
        """Add the result of a part of the migration."""
        for name in (attribute.name for attribute in fields(self)):
            setattr(self, name, getattr(self, name) + getattr(part, name))

    @property
    def names(self) -> int:
        """How many legacy names were found."""
        return self.rewritten + self.marked + self.suppressed

    def without(self, number: int, finding: Finding) -> Result:
        """Return the result without the files of a trial that a person has to finish."""
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
        by_file: dict[Path, list[Change]] = {}
        for change in self.changes:
            by_file.setdefault(change.path, []).append(change)
        return by_file

    def of_kind(self, *kinds: Kind) -> list[Finding]:
        """The findings of some kinds."""
        return [finding for finding in self.findings if finding.kind in kinds]


@dataclass(frozen=True)
class Options:
    """What the user asked for.

    A rule that is left out still runs, so that what it would do is reported; its fixes are dropped.
    A trial that needs one of them is not finished.
    """

    left_out: frozenset[str] = frozenset()  #: the ids of the rules that are left out
    partial: bool = False  #: whether to write unfinished trials too
    cluster: bool = False  #: whether the user has a Determined cluster
    jobs: int = 1  #: the largest number of processes
    #: tells whether the trial in a directory is carried over whole
    carries: Callable[[Path], bool] = lambda _: False
    #: the trials in which names without a successor are only noted
    set_aside: frozenset[Path] = frozenset()
    #: by trial, the lines of each imported file that no training executed
    unseen: Mapping[Path, Lines] = field(default_factory=dict)


@dataclass
class Migration:
    """The migration of one project; which files are written is decided at the end."""

    reading: Reading  #: the project as it is on disk
    trial: Trial  #: the project as rules see it
    options: Options  #: what the user asked for
    #: the rewrites of all rules; after the draft, those that were applied
    fixes: list[Fix] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)  #: what else rules report
    #: fixes and marks that the user does not want
    dropped: list[Fix | Remark] = field(default_factory=list)
    #: the new text of each Python file that changes
    texts: dict[Path, str] = field(default_factory=dict)
    #: the pieces of ``legacy_keras.py`` that the new texts use.
    support: frozenset[str] = frozenset()
    #: the new text of each config that changes, and of those from scripts
    configs: dict[Path, str] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)  #: the places that were rewritten
    findings: list[Finding] = field(default_factory=list)  #: what is reported
    #: the legacy names of each file as it is on disk
    total: Counter[Path] = field(default_factory=Counter)
    #: those that stay with a mark or another finding
    marked: Counter[Path] = field(default_factory=Counter)
    #: those that stay because the user wants it
    suppressed: Counter[Path] = field(default_factory=Counter)
