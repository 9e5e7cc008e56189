"""Migrate one project: lower, rules, draft, check, names, configs, status. Nothing is written."""

from __future__ import annotations

import ast
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis.config import Config
from pedl2det.analysis.discovery import SUPPORT, Project
from pedl2det.analysis.project import Reading, read
from pedl2det.analysis.reader import Reader
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.engine import invariant
from pedl2det.engine.check import lost_comments
from pedl2det.engine.configs import MigratedConfigs, migrate_configs
from pedl2det.engine.lower_scripts import at_old_lines, changes_at_old_lines, lower
from pedl2det.engine.marks import existing, mark
from pedl2det.engine.new_texts import changed_again, mark_open, trial_of
from pedl2det.engine.notebooks import notebook_findings
from pedl2det.engine.options import Options
from pedl2det.engine.places import finding_at, finding_on
from pedl2det.engine.propose import Proposals, propose
from pedl2det.engine.result import Change, NewFile, Outcome, Result, Status
from pedl2det.engine.rewriting import Rewritten, rewrite
from pedl2det.findings import Finding, Kind, Unreadable
from pedl2det.fixes import Fix, Form
from pedl2det.support import library

SCAN = "scan"
_HELP_UNREADABLE = "convert the file to Python 3 text, and run migrate again"


@dataclass
class _Made:
    """What a migration makes of one project, before it is known whether it is written."""

    texts: dict[Path, str] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)
    support: frozenset[str] = frozenset()
    marked: Counter[Path] = field(default_factory=Counter)
    suppressed: Counter[Path] = field(default_factory=Counter)
    configs: MigratedConfigs = field(default_factory=MigratedConfigs)


def migrate_project(
    project: Project, reader: Reader, options: Options, directories: Iterable[Path] = ()
) -> Result:
    """Migrate one project; the result can be sent to another process.

    Args:
        project: its files.
        reader: reads them.
        options: what the user asked for.
        directories: where files may be written, beside the project's own directory.
    """
    try:
        return _migrate(project, reader, options, tuple(directories))
    except RecursionError:
        message = "an expression or a config of this project is nested too deeply to be read"
        return _failed(project, Kind.LEFT, message, "write it flatter")
    except Exception as error:
        message = f"migrate failed: {type(error).__name__}: {error}"
        return _failed(project, Kind.DEFECT, message, "", traceback.format_exc())


def _failed(project: Project, kind: Kind, message: str, help_: str, stack: str = "") -> Result:
    place = next(iter(sorted(project.needed or project.modules.values())), project.home)
    finding = Finding(kind, SCAN, place, 1, message, help_)
    outcomes = [Outcome(project.home, Status.BEGUN, False, 0, 1, 0)] if project.has_trial else []
    return Result(
        findings=[finding], outcomes=outcomes, tracebacks=[stack] if stack else [], marked=1
    )


def _migrate(
    project: Project, reader: Reader, options: Options, directories: tuple[Path, ...]
) -> Result:
    reading = lower(read(project, reader))
    total = Counter(one.source.path for one in invariant.legacy(_old(reading)))
    if project.has_trial and reading.trial.roots:
        made = _rewritten(reading, options)
    else:
        made = _only_marked(reading, options)
    made.findings += [one for script in reading.scripts.values() for one in script.findings]
    made.findings = at_old_lines(reading, made.findings)
    made.changes = changes_at_old_lines(reading, made.changes)
    made.support |= {piece for script in reading.scripts.values() for piece in script.support}
    made.findings += [*_unreadable(reading, made), *_marked_before(reading, made.findings)]
    made.findings += notebook_findings(reading)
    return _settled(reading, made, total, options, directories)


def _old(reading: Reading) -> Trial:
    """The project as it is on the disk; lowering may have changed its texts in memory."""
    if all(reading.originals.get(one.path) is one for one in reading.trial.modules):
        return reading.trial
    return trial_of(
        reading, {path: one.text for path, one in reading.originals.items()}, reading.configs
    )


def _rewritten(reading: Reading, options: Options) -> _Made:
    """A project with a trial: rules, draft, marks, configs, and a second run."""
    trial = reading.trial
    proposals = propose(trial, options)
    fixes = [*proposals.fixes, *_marks(proposals)]
    done = rewrite(trial, fixes)
    made = _Made(_lowered(reading) | done.texts, support=done.draft.support)
    made.findings = [*proposals.findings, *done.findings, *_said(proposals, done)]
    made.findings += _comments_gone(trial, done.texts)
    made.tracebacks = [*proposals.tracebacks, *done.tracebacks]
    made.changes = _changes(done)
    made.configs = migrate_configs(reading, trial, done.draft.fixes, options)
    configs = _new_configs(reading, made.configs.texts)
    new = trial_of(reading, made.texts, configs)
    new = _account(reading, new, configs, proposals, made)
    is_whole = not proposals.dropped and not done.tracebacks and not proposals.tracebacks
    if made.texts and is_whole:
        made.findings += changed_again(new, options)
    return made


def _only_marked(reading: Reading, options: Options) -> _Made:
    """Files with old names and without a trial: no rule applies to them."""
    done = rewrite(reading.trial, ())  # drops imports that are not used
    made = _Made(_lowered(reading) | done.texts)
    made.configs = migrate_configs(reading, reading.trial, (), options)
    new = trial_of(reading, made.texts, reading.configs)
    _account(reading, new, reading.configs, Proposals(), made)
    return made


def _account(
    reading: Reading,
    new: Trial,
    configs: Mapping[Path, Config],
    proposals: Proposals,
    made: _Made,
) -> Trial:
    """Count the legacy names of the new texts, and mark those that nothing accounts for."""
    found = invariant.remaining(new, proposals.dropped)
    made.marked, made.suppressed = found.marked, found.suppressed
    if not found.open:
        return new
    texts, findings = mark_open(new, reading.originals, found.open)
    made.texts |= texts
    made.findings += findings
    made.marked.update(one.source.path for one in found.open)
    return trial_of(reading, made.texts, configs)


def _marks(proposals: Proposals) -> list[Fix]:
    left = [one for one in proposals.remarks if one.kind is Kind.LEFT]
    return [made for one in left if (made := mark(one)) is not None]


def _said(proposals: Proposals, done: Rewritten) -> list[Finding]:
    """What the fixes and remarks say; what an outer fix replaced says nothing."""
    applied = done.draft.fixes
    found = []
    for fix in applied:
        at = fix.source, fix.node
        found += [finding_at(*at, kind, fix.rule, text) for kind, text in fix.notes]
        found += [finding_at(*at, Kind.ASSUMPTION, fix.rule, text) for text in fix.assumptions]
    marked = {(id(fix.source), fix.node, fix.rule) for fix in applied if fix.form is Form.MARKED}
    for one in proposals.remarks:
        key = id(one.source), one.node, one.rule
        if one.kind is Kind.LEFT and mark(one) is not None and key not in marked:
            continue
        found.append(finding_at(one.source, one.node, one.kind, one.rule, one.message, one.help))
    return found


def _comments_gone(trial: Trial, texts: Mapping[Path, str]) -> Iterator[Finding]:
    """Name the comments that went with the statements behind which they stood, but for imports."""
    for source in trial.modules:
        if source.path not in texts:
            continue
        imports = {
            line
            for node in source.names.of(ast.Import, ast.ImportFrom)
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        }
        for line, comment in lost_comments(source.text, texts[source.path]):
            if line not in imports:
                cell, at = source.place(line)
                message = f"the comment `{comment}` went with the code that it stood by"
                yield Finding(Kind.NOTE, SCAN, source.path, at, message, cell=cell)


def _changes(done: Rewritten) -> list[Change]:
    found = []
    for fix in done.draft.fixes:
        if fix.form is not Form.MARKED:
            at = finding_at(fix.source, fix.node, Kind.NOTE, fix.rule, "")
            found.append(Change(fix.rule, at.path, at.line, at.cell))
    return found


def _lowered(reading: Reading) -> dict[Path, str]:
    """The texts that lowering changed."""
    return {
        source.path: source.text
        for source in reading.trial.modules
        if source.path in reading.originals and source.text != reading.originals[source.path].text
    }


def _new_configs(reading: Reading, texts: Mapping[Path, str]) -> dict[Path, Config]:
    found = {}
    for path, config in reading.configs.items():
        found[path] = Config.of(texts[path]) if path in texts else config
    return found


def _unreadable(reading: Reading, made: _Made) -> list[Finding]:
    """What could not be read; a file of the trial itself keeps the trial from being finished."""
    found = []
    for path, error in reading.unreadable.items():
        help_ = _HELP_UNREADABLE if path.suffix == ".py" else ""
        found.append(_bad(path, error, help_))
        if path.suffix == ".py" and names.mentions_legacy(path.read_bytes()):
            made.marked[path] += 1
    return found


def _marked_before(reading: Reading, findings: Iterable[Finding]) -> list[Finding]:
    """The marks of an earlier run, which nobody has worked on; rules report some of them again."""
    said = {(one.path, one.rule) for one in findings if one.kind is Kind.LEFT}
    return [
        finding_on(source, one.line, Kind.LEFT, one.rule, one.message, one.help)
        for source in reading.originals.values()
        for one in existing(source)
        if (source.path, one.rule) not in said
    ]


def _bad(path: Path, error: Unreadable, help_: str) -> Finding:
    lines = path.read_bytes().decode("utf-8", errors="replace").splitlines()
    is_line = error.cell is None and 0 < error.line <= len(lines)
    code = lines[error.line - 1] if is_line else ""
    return Finding(
        Kind.BAD_INPUT, SCAN, path, error.line, str(error), help_, code=code, cell=error.cell
    )


# Which of it is written.


def _settled(
    reading: Reading,
    made: _Made,
    total: Counter[Path],
    options: Options,
    directories: tuple[Path, ...],
) -> Result:
    """The result: the files that are written, the status of the trial, and the counts."""
    project = reading.project
    passed = _passed_over(project, options)
    files = [one for one in _files(reading, made) if one.path not in passed]
    findings = _once([*made.findings, *made.configs.findings])
    findings = [one for one in findings if one.path not in passed]
    findings += _unwritable(files, project, options, directories)
    blocking = [one for one in findings if one.kind.is_left and _blocks(one, project)]
    status = _status(blocking, findings)
    written = [one for one in files if _is_written(one, status, findings, options)]
    paths = {one.path for one in written}
    said = (
        findings if written or status.is_finished else [one for one in findings if one.kind.is_left]
    )
    result = Result(written, findings=said, tracebacks=made.tracebacks)
    every = [*made.changes, *made.configs.changes]
    result.changes = [one for one in every if one.path in paths]
    for path in passed:
        made.marked[path], made.suppressed[path] = 0, total[path]
    _count(result, made, total, paths, status)
    if project.has_trial and (files or blocking):
        result.outcomes.append(
            Outcome(
                project.home,
                status,
                bool(written) and (status.is_finished or options.partial),
                len(every) if files else 0,
                len(blocking),
                sum(one.kind is Kind.ASSUMPTION for one in findings),
                tuple(paths),
                tuple(reading.configs),
            )
        )
    if written and made.configs.metric_names is not None:
        result.metric_names[project.home] = made.configs.metric_names
    return result


def _passed_over(project: Project, options: Options) -> set[Path]:
    """The files that the user excluded and that no trial needs."""
    needed = project.needed if project.has_trial else frozenset()
    return {
        path for path in project.modules.values() if path not in needed and options.excludes(path)
    }


def _files(reading: Reading, made: _Made) -> list[NewFile]:
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


def _support(path: Path, made: _Made) -> list[NewFile]:
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


def _status(blocking: list[Finding], findings: list[Finding]) -> Status:
    if any(one.kind is not Kind.SUPPRESSED for one in blocking):
        return Status.BEGUN
    if blocking:
        return Status.SUPPRESSED
    assumed = any(one.kind is Kind.ASSUMPTION for one in findings)
    return Status.ASSUMED if assumed else Status.FINISHED


def _is_written(file: NewFile, status: Status, findings: list[Finding], options: Options) -> bool:
    """Whether a file is written: all of a finished trial, and leftovers that are finished."""
    mine = [one for one in findings if one.path == file.path and one.kind.is_left]
    if any(one.rule == SCAN for one in mine):
        return False
    if options.partial:
        return True
    return status.is_finished and not mine


def _count(
    result: Result, made: _Made, total: Counter[Path], written: set[Path], status: Status
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
