"""Decide which files of a migrated project to write, and count what is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from pedl2det import support as library
from pedl2det.analysis.project import SUPPORT, Project
from pedl2det.engine.migration import Migration, NewFile, Options, Outcome, Result, Status
from pedl2det.findings import Finding, Kind

SCAN = "scan"
_HELPER = "this file is not part of the trial, and imports legacy_keras, which needs Determined"


def settle(migration: Migration, directories: tuple[Path, ...]) -> Result:
    """Return the files to write, the trial's status, and the counts.

    Files may also be written in ``directories``.
    """
    reading, project, options = migration.reading, migration.reading.project, migration.options
    files = _files(migration)
    findings = _unique(migration.findings)
    findings += _outside(files, project, directories)
    left = [finding for finding in findings if finding.kind.is_left and project.has_trial]
    leftover = {*project.modules.values(), *project.notebooks} - project.needed
    for path in leftover & migration.texts.keys() if project.has_trial else ():
        if "import legacy_keras" in migration.texts[path]:
            findings.append(Finding(Kind.NOTE, SCAN, path, 1, _HELPER))
    broken = {finding.path for finding in left} & reading.configs.keys()
    leftover |= broken if broken < reading.configs.keys() else set()  # another config trains it
    blocking = [finding for finding in left if finding.path not in leftover]
    status = Status.SUPPRESSED if blocking else Status.REWRITTEN
    if any(finding.kind is not Kind.SUPPRESSED for finding in blocking):
        status = Status.BEGUN
    if project.has_trial and status.is_finished:
        findings = [  # what is open is in files beside the trial
            replace(finding, kind=Kind.LEFTOVER)
            if finding.kind in (Kind.LEFT, Kind.BAD_INPUT) and finding.path not in broken
            else finding
            for finding in findings
        ]
    written = [file for file in files if _is_written(file, status, findings, options)]
    paths = {file.path for file in written}
    result = Result(
        written,
        [change for change in migration.changes if change.path in paths],
        [finding for finding in findings if written or status.is_finished or finding.kind.is_left],
    )
    _count(result, migration, paths, status)
    if project.has_trial and (files or findings):  # what is only noted, a proof decides
        outcome = Outcome(
            project.home,
            status,
            written=bool(written or not blocking) and (status.is_finished or options.partial),
            places=len(migration.changes) if files else 0,
            left=len(blocking),
            files=tuple(paths),
            configs=tuple(path for path in reading.configs if path not in broken),
        )
        result.outcomes.append(outcome)
    return result


def _files(migration: Migration) -> list[NewFile]:
    reading = migration.reading
    files = []
    for path, text in migration.texts.items():
        source = reading.originals.get(path)
        if source is None:  # the trial of a script
            files.append(NewFile(path, None, text.encode()))
        elif text != source.text:
            files.append(NewFile(path, source.encoded(source.text), source.encoded(text)))
    for path, text in migration.configs.items():
        config = reading.configs.get(path)
        old = path.read_bytes() if config else None
        files.append(NewFile(path, old, text.encode(config.encoding if config else "utf-8")))
    if migration.support:
        files += _support(reading.project.root / SUPPORT, migration)
    return files


def _support(path: Path, migration: Migration) -> list[NewFile]:
    """``legacy_keras.py`` with the pieces that the trial needs."""
    old = path.read_bytes() if path.is_file() else None
    text = old.decode("utf-8") if old is not None else ""
    try:
        new = library.merged(text, migration.support)
    except SyntaxError as error:
        message = f"syntax error: {error.msg}"
        migration.findings.append(Finding(Kind.BAD_INPUT, SCAN, path, error.lineno or 1, message))
        return []
    return [NewFile(path, old, new.encode())] if new != text else []


def _outside(
    files: Iterable[NewFile], project: Project, directories: tuple[Path, ...]
) -> Iterator[Finding]:
    """Report files outside the project: they are not written, except through links."""
    homes = [project.home.resolve(), *directories]
    for file in files:
        place = file.path.resolve()
        if not any(map(file.path.is_relative_to, (project.home, *directories))):
            message = f"this file is outside {project.home.name}, and must be rewritten with it"
            help_ = f"pedl2det migrate {file.path.parent}"
            yield Finding(Kind.LEFT, SCAN, file.path, 1, message, help_)
        elif not any(map(place.is_relative_to, homes)):
            message = f"this is reached by a link: {place} is rewritten for everything that uses it"
            yield Finding(Kind.NOTE, SCAN, file.path, 1, message)


def _is_written(file: NewFile, status: Status, findings: list[Finding], options: Options) -> bool:
    """Whether to write a file: it and its trial are finished, or the user wants partial results.

    A file with a finding of the scan is never written.
    """
    left = [finding for finding in findings if finding.path == file.path and finding.kind.is_left]
    is_whole = options.partial or (status.is_finished and not left)
    return is_whole and not any(finding.rule == SCAN for finding in left)


def _count(result: Result, migration: Migration, written: set[Path], status: Status) -> None:
    """Count the legacy names; files that are not written keep all of theirs."""
    total = migration.total
    for path in total.keys() | migration.marked.keys():
        count = total[path]
        marked, suppressed = migration.marked[path], migration.suppressed[path]
        if path not in written and path in migration.texts:
            suppressed = count if status is Status.SUPPRESSED else min(suppressed, count)
            marked = count - suppressed
        result.marked += marked
        result.suppressed += suppressed
        result.rewritten += max(count - marked - suppressed, 0)


def _unique(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings by place, without duplicates."""
    unique: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        place = finding.path, finding.cell, finding.line
        unique.setdefault((*place, finding.rule, finding.message), finding)
    return sorted(unique.values(), key=_order)


def _order(finding: Finding) -> tuple[str, int, int, int, str, str]:
    path, cell = str(finding.path), finding.cell or 0
    return path, cell, finding.line, finding.column, finding.rule, finding.message
