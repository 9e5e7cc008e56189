"""What the user asked for, and the record of one project's migration, to which every stage adds."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from pedl2det.analysis.project import Reading
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.engine.result import Change
from pedl2det.findings import Finding
from pedl2det.fixes import Fix, Remark


@dataclass(frozen=True)
class Options:
    """What the user asked for.

    A rule that is left out runs all the same, so that what it would do is named; its fixes are
    dropped. A trial that needs one of them is not finished.
    """

    left_out: frozenset[str] = frozenset()  #: the ids of the rules that are left out
    partial: bool = False  #: whether trials that are begun are written too
    cluster: bool = False  #: whether the team has a Determined cluster
    jobs: int = 1  #: the largest number of processes
    #: tells of a trial's directory whether the trial is carried over whole
    carries: Callable[[Path], bool] = lambda _: False


@dataclass
class Migration:
    """What is made of one project; what of it is written is decided at the end."""

    reading: Reading  #: the project as it is on the disk
    trial: Trial  #: the project as rules see it
    options: Options  #: what the user asked for
    #: the rewrites of all rules; after the draft, those that were applied
    fixes: list[Fix] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)  #: what else rules have to say
    #: fixes and marks that the user does not want
    dropped: list[Fix | Remark] = field(default_factory=list)
    #: the new text of each Python file that changes
    texts: dict[Path, str] = field(default_factory=dict)
    #: the pieces of ``legacy_keras.py`` that the new texts use.
    support: frozenset[str] = frozenset()
    #: the new text of each config that changes, and of those that stood in scripts
    configs: dict[Path, str] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)  #: the places that were rewritten
    findings: list[Finding] = field(default_factory=list)  #: what there is to say
    tracebacks: list[str] = field(default_factory=list)  #: the stacks of defects of ours
    #: the legacy names of each file as it is on the disk
    total: Counter[Path] = field(default_factory=Counter)
    #: those that stay with a mark or another finding
    marked: Counter[Path] = field(default_factory=Counter)
    #: those that stay because the user wants it
    suppressed: Counter[Path] = field(default_factory=Counter)

    def new_sources(self) -> dict[str, Source]:
        """Return the files with their new texts, by module name.

        Raises:
            SyntaxError: one of them does not parse; a defect of ours.
        """
        sources = dict(self.trial.modules.by_name)
        for name, source in sources.items():
            text = self.texts.get(source.path, source.text)
            tree = source.tree if text == source.text else ast.parse(text)
            sources[name] = replace(source, text=text, tree=tree)
        return sources
