"""Decide what of a migrated project is written, and count what is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from pedl2det.analysis.project import SUPPORT, Project, Reading
from pedl2det.analysis.source import Source
from pedl2det.engine.configs import MigratedConfigs
from pedl2det.engine.options import Options
from pedl2det.engine.result import Change, NewFile, Outcome, Result, Status
from pedl2det.findings import Finding, Kind
from pedl2det.support import library

SCAN = "scan"


@dataclass
class Made:
    """What a migration makes of one project, before it is known whether it is written."""

    texts: dict[Path, str] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)
    support: frozenset[str] = frozenset()
    marked: Counter[Path] = field(default_factory=Counter)
    suppressed: Counter[Path] = field(default_factory=Counter)
    configs: MigratedConfigs = field(default_factory=MigratedConfigs)

    @property
    def all_changes(self) -> list[Change]:
        """The places that were rewritten, in code and in configs."""
        return [*self.changes, *self.configs.changes]

    @property
    def all_findings(self) -> list[Finding]:
        """What there is to say, of code and of configs."""
        return [*self.findings, *self.configs.findings]


def settled(
    reading: Reading,
    made: Made,
    total: Counter[Path],
    options: Options,
    directories: tuple[Path, ...],
) -> Result:
    """Return the files that are written, the status of the trial, and the counts.

    Args:
        reading: the project.
        made: what the migration makes of it.
        total: the legacy names of its files as they are.
        options: what the user asked for.
        directories: where files may be written, beside the project's own directory.
    """
    project = reading.project
    passed = _passed_over(project, options)
    files = [one for one in _files(reading, made) if one.path not in passed]
    findings = _once(one for one in made.all_findings if one.path not in passed)
    findings += _unwritable(files, project, options, directories)
    blocking = [one for one in findings if one.kind.is_left and _blocks(one, project)]
    status = _status(blocking, findings)
    if project.has_trial and status.is_finished:
        findings = [_leftover(one) for one in findings]
    written = [one for one in files if _is_written(one, status, findings, options)]
    paths = {one.path for one in written}
    result = Result(
        written,
        [one for one in made.all_changes if one.path in paths],
        [one for one in findings if written or status.is_finished or one.kind.is_left],
        tracebacks=made.tracebacks,
    )
    for path in passed:
        made.marked[path], made.suppressed[path] = 0, total[path]
    _count(result, made, total, paths, status)
    if project.has_trial and (files or blocking):
        outcome = Outcome(
            project.home,
            status,
            written=bool(written) and (status.is_finished or options.partial),
            places=len(made.all_changes) if files else 0,
            left=len(blocking),
            assumptions=sum(one.kind is Kind.ASSUMPTION for one in findings),
            files=tuple(paths),
            configs=tuple(reading.configs),
        )
        result.outcomes.append(outcome)
    if written and made.configs.metric_names is not None:
        result.metric_names[project.home] = made.configs.metric_names
    return result


def _passed_over(project: Project, options: Options) -> set[Path]:
    """The files that the user excluded and that no trial needs."""
    needed = project.needed if project.has_trial else frozenset()
    return {
        path for path in project.modules.values() if path not in needed and options.excludes(path)
    }


def _files(reading: Reading, made: Made) -> list[NewFile]:
    files = []
    for path, text in made.texts.items():
        source: Source = reading.originals[path]
        if text != source.text:
            files.append(NewFile(path, source.encoded(source.text), source.encoded(text)))
    for path, text in made.configs.texts.items():
        config = reading.configs[path]
        files.append(NewFile(path, path.read_bytes(), config.encoded(text.removeprefix("\ufeff"))))
    files += [NewFile(path, None, text.encode()) for path, text in made.configs.new.items()]
    if made.support:
        files += _support(reading.project.root / SUPPORT, made)
    return files


def _support(path: Path, made: Made) -> list[NewFile]:
    """``legacy_keras.py`` with the pieces that the trial needs."""
    old = path.read_bytes() if path.is_file() else None
    text = old.decode("utf-8") if old is not None else ""
    try:
        new = library.merged(text, made.support)
    except SyntaxError as error:
        message = f"syntax error: {error.msg}"
        made.findings.append(Finding(Kind.BAD_INPUT, SCAN, path, error.lineno or 1, message))
        return []
    return [NewFile(path, old, new.encode())] if new != text else []


def _unwritable(
    files: Iterable[NewFile], project: Project, options: Options, directories: tuple[Path, ...]
) -> list[Finding]:
    """Files that may not be written: excluded by the user, or outside of what was given."""
    found = []
    for file in files:
        if options.excludes(file.path):
            message = "this file is excluded, and would be rewritten"
            found.append(Finding(Kind.SUPPRESSED, SCAN, file.path, 1, message))
        elif not any(file.path.is_relative_to(one) for one in (project.home, *directories)):
            message = (
                f"this file is outside of {project.home.name}, and has to be rewritten with it"
            )
            help_ = f"pedl2det migrate {file.path.parent}"
            found.append(Finding(Kind.LEFT, SCAN, file.path, 1, message, help_))
    return found


def _blocks(finding: Finding, project: Project) -> bool:
    """Whether a finding keeps the trial from being finished; one about a leftover does not."""
    if not project.has_trial:
        return False
    leftover = {*project.modules.values(), *project.notebooks} - project.needed
    return finding.path not in leftover


def _leftover(finding: Finding) -> Finding:
    """A finding beside a finished trial: what is left there is in no trial's way."""
    is_left = finding.kind in (Kind.LEFT, Kind.BAD_INPUT)
    return replace(finding, kind=Kind.LEFTOVER) if is_left else finding


def _status(blocking: list[Finding], findings: list[Finding]) -> Status:
    if any(one.kind is not Kind.SUPPRESSED for one in blocking):
        return Status.BEGUN
    if blocking:
        return Status.SUPPRESSED
    assumed = any(one.kind is Kind.ASSUMPTION for one in findings)
    return Status.ASSUMED if assumed else Status.REWRITTEN


def _is_written(file: NewFile, status: Status, findings: list[Finding], options: Options) -> bool:
    """Whether a file is written: all of a finished trial, and leftovers that are finished."""
    mine = [one for one in findings if one.path == file.path and one.kind.is_left]
    if any(one.rule == SCAN for one in mine):
        return False
    if options.partial:
        return True
    return status.is_finished and not mine


def _count(
    result: Result, made: Made, total: Counter[Path], written: set[Path], status: Status
) -> None:
    """Count the legacy names: the files that are not written keep all of theirs."""
    for path, count in total.items():
        if path in written or path not in made.texts:
            marked, suppressed = made.marked[path], made.suppressed[path]
        elif status is Status.SUPPRESSED:
            marked, suppressed = 0, count
        else:
            suppressed = min(made.suppressed[path], count)
            marked = count - suppressed
        result.marked += marked
        result.suppressed += suppressed
        result.rewritten += max(count - marked - suppressed, 0)
    for path in made.marked.keys() - total.keys():
        result.marked += made.marked[path]


def _once(findings: Iterable[Finding]) -> list[Finding]:
    """Each finding once a place, in the order of the text."""
    found = {
        (one.path, one.cell, one.line, one.rule, one.message): one for one in reversed([*findings])
    }
    return sorted(
        found.values(),
        key=lambda one: (str(one.path), one.cell or 0, one.line, one.column, one.rule, one.message),
    )
