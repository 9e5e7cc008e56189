"""What the user asked for, and the record of one project's migration, to which every stage adds."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from pedl2det.analysis.config import Config
from pedl2det.analysis.project import Reading, made
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.engine.result import Change
from pedl2det.findings import Finding
from pedl2det.fixes import Fix, Remark


@dataclass(frozen=True)
class Options:
    """What the user asked for.

    A rule that is left out runs all the same, so that what it would do is named; its fixes are
    dropped. A trial that needs one of them, or a file that is excluded, is not finished.

    Attributes:
        left_out: the ids of the rules that are left out.
        exclude: globs of files and directories, relative to ``base``.
        base: the directory of the pyproject.toml that has them.
        given: the paths on the command line: what is named there is not excluded.
        partial: whether trials that are begun are written too.
        cluster: whether the team has a Determined cluster.
        jobs: the largest number of processes.
        carries: tells of a trial's directory whether the trial is carried over whole.
    """

    left_out: frozenset[str] = frozenset()
    exclude: tuple[str, ...] = ()
    base: Path = Path()
    given: tuple[Path, ...] = ()
    partial: bool = False
    cluster: bool = False
    jobs: int = 1
    carries: Callable[[Path], bool] = lambda _: False

    def excludes(self, file: Path) -> bool:
        """Tell whether a glob means a file, or a directory above it but below a given path."""
        return bool(self.exclude) and any(
            any(_means(glob, path, self.base) for glob in self.exclude)
            for path in (file, *file.parents)
            if self.base in path.parents
            and not any(path == given or path in given.parents for given in self.given)
        )


def _means(glob: str, path: Path, base: Path) -> bool:
    """Whether a glob means a path: its name, or with a slash its place below the base."""
    if "/" not in glob.rstrip("/"):
        return fnmatchcase(path.name, glob.rstrip("/"))
    return fnmatchcase(path.relative_to(base).as_posix(), glob.strip("/"))


@dataclass
class Migration:
    """What is made of one project; what of it is written is decided at the end.

    Attributes:
        reading: the project as it is on the disk.
        trial: the project as rules see it.
        options: what the user asked for.
        fixes: the rewrites of all rules; after the draft, those that were applied.
        remarks: what else rules have to say.
        dropped: fixes and marks that the user does not want.
        texts: the new text of each Python file that changes.
        support: the pieces of ``legacy_keras.py`` that the new texts use.
        configs: the new text of each config that changes, and of those that stood in scripts.
        changes: the places that were rewritten.
        findings: what there is to say.
        tracebacks: the stacks of defects of ours.
        total: the legacy names of each file as it is on the disk.
        marked: those that stay with a mark or another finding.
        suppressed: those that stay because the user wants it.
    """

    reading: Reading
    trial: Trial
    options: Options
    fixes: list[Fix] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    dropped: list[Fix | Remark] = field(default_factory=list)
    texts: dict[Path, str] = field(default_factory=dict)
    support: frozenset[str] = frozenset()
    configs: dict[Path, str] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)
    total: Counter[Path] = field(default_factory=Counter)
    marked: Counter[Path] = field(default_factory=Counter)
    suppressed: Counter[Path] = field(default_factory=Counter)

    def new_trial(self) -> Trial:
        """Return what rules would see if the new texts and configs were written."""
        sources = {
            name: with_text(source, self.texts.get(source.path, source.text))
            for name, source in self.trial.modules.by_name.items()
        }
        configs = {
            path: Config.of(self.configs[path]) if path in self.configs else config
            for path, config in self.reading.configs.items()
        }
        form = {"carried": self.trial.carried, "mended": self.trial.mended}
        return made(self.reading.project, sources, configs, **form)


def with_text(source: Source, text: str) -> Source:
    """Return a file with another text."""
    return replace(source, text=text, tree=ast.parse(text))
