"""Migrate one project: lower, rules, draft, check, names, configs, status. Nothing is written."""

from __future__ import annotations

import ast
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis.config import Config
from pedl2det.analysis.project import Project, Reading, read
from pedl2det.analysis.reader import Reader
from pedl2det.analysis.tree import bytes_or_none
from pedl2det.analysis.trial import Trial
from pedl2det.engine import invariant
from pedl2det.engine.configs import migrate_configs
from pedl2det.engine.marks import existing, mark
from pedl2det.engine.new_texts import changed_again, mark_open, trial_of
from pedl2det.engine.notebooks import notebook_findings
from pedl2det.engine.options import Options
from pedl2det.engine.places import finding_at, finding_on
from pedl2det.engine.propose import Proposals, propose
from pedl2det.engine.result import Change, Outcome, Result, Status
from pedl2det.engine.rewriting import Rewritten, lost_comments, rewrite
from pedl2det.engine.settling import SCAN, Made, settled
from pedl2det.findings import Finding, Kind, Unreadable
from pedl2det.fixes import Fix, Form
from pedl2det.scripts import RULE as SCRIPTS
from pedl2det.scripts import at_old_lines, lower

#: Before what no rule could rewrite.
_KEPT = "carried over as it was: "
_HELP_UNREADABLE = "convert the file to Python 3 text, and run migrate again"


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
        return _in_some_form(project, reader, options, tuple(directories))
    except RecursionError:
        message = "an expression or a config of this project is nested too deeply to be read"
        return _failed(project, Kind.LEFT, message, "write it flatter")
    except Exception as error:
        message = f"migrate failed: {type(error).__name__}: {error}"
        return _failed(project, Kind.DEFECT, message, "", traceback.format_exc())


def _in_some_form(
    project: Project, reader: Reader, options: Options, directories: tuple[Path, ...]
) -> Result:
    """Rewrite a project; carry its trials over whole where that leaves less to a person."""
    rewritten = _migrate(project, reader, options, directories)
    if options.carried or options.left_out or not any(map(_is_begun, rewritten.outcomes)):
        return rewritten
    carried = _migrate(project, reader, replace(options, carried=True), directories)
    if carried.tracebacks or not carried.outcomes or any(map(_is_begun, carried.outcomes)):
        return rewritten
    why = [one for one in rewritten.findings if one.kind.is_left]
    carried.findings += [replace(one, kind=Kind.NOTE, message=_KEPT + one.message) for one in why]
    return carried


def _is_begun(outcome: Outcome) -> bool:
    return outcome.status is Status.BEGUN


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
    reading = read(project, reader, second=options.carried)
    if not (options.carried and reading.trial.roots):  # a script has no methods to carry over
        reading = lower(reading)
    total = Counter(one.source.path for one in invariant.legacy(_old(reading)))
    if project.has_trial and reading.trial.roots:
        made = _rewritten(reading, options)
    else:
        made = _only_marked(reading, options)
    made.findings = at_old_lines(reading, made.findings)
    made.changes = at_old_lines(reading, made.changes)
    made.findings += [one for script in reading.scripts.values() for one in script.findings]
    if SCRIPTS in options.left_out:
        _leave_scripts(reading, made, total)
    made.support |= {piece for script in reading.scripts.values() for piece in script.support}
    made.findings += [*_unreadable(reading, made), *_marked_before(reading, made.findings)]
    made.findings += notebook_findings(reading)
    return settled(reading, made, total, options, directories)


def _leave_scripts(reading: Reading, made: Made, total: Counter[Path]) -> None:
    """Leave the scripts as they are, by the user's choice."""
    for path in reading.scripts:
        message = "scripts was left out, and this needs it"
        made.findings.append(Finding(Kind.SUPPRESSED, SCRIPTS, path, 1, message))
        made.texts.pop(path, None)
        made.marked[path], made.suppressed[path] = 0, total[path]
    made.configs.new.clear()


def _old(reading: Reading) -> Trial:
    """The project as it is on the disk; lowering may have changed its texts in memory."""
    if all(reading.originals.get(one.path) is one for one in reading.trial.modules):
        return reading.trial
    return trial_of(
        reading, {path: one.text for path, one in reading.originals.items()}, reading.configs
    )


def _rewritten(reading: Reading, options: Options) -> Made:
    """A project with a trial: rules, draft, marks, configs, and a second run."""
    trial = reading.trial
    proposals = propose(trial, options)
    fixes = [*proposals.fixes, *_marks(proposals)]
    done = rewrite(trial, fixes, some_left_out=bool(proposals.dropped))
    made = Made(_lowered(reading) | done.texts, support=done.draft.support)
    made.findings = [*proposals.findings, *done.findings, *_said(proposals, done)]
    made.findings += _comments_gone(trial, done.texts)
    made.findings += _emptied(trial, done.texts)
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


def _only_marked(reading: Reading, options: Options) -> Made:
    """Files with old names and without a trial: no rule applies to them."""
    done = rewrite(reading.trial, ())  # drops imports that are not used
    made = Made(_lowered(reading) | done.texts)
    made.configs = migrate_configs(reading, reading.trial, (), options)
    new = trial_of(reading, made.texts, reading.configs)
    _account(reading, new, reading.configs, Proposals(), made)
    return made


def _account(
    reading: Reading,
    new: Trial,
    configs: Mapping[Path, Config],
    proposals: Proposals,
    made: Made,
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
    """Name the comments that went with the statements behind which they stood."""
    for source in trial.modules:
        if source.path not in texts:
            continue
        for line, comment in lost_comments(source.text, texts[source.path]):
            cell, at = source.place(line)
            message = f"the comment `{comment}` went with the code that it stood by"
            yield Finding(Kind.NOTE, SCAN, source.path, at, message, cell=cell)


def _emptied(trial: Trial, texts: Mapping[Path, str]) -> Iterator[Finding]:
    """Name the modules of which nothing is left."""
    for source in trial.modules:
        new = texts.get(source.path)
        if new is None or source.path.stem == "__init__" or not source.text.strip():
            continue
        body = ast.parse(new).body
        text = [isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) for one in body]
        if all(text):
            message = "nothing but text is left in this module: delete the file"
            yield Finding(Kind.NOTE, SCAN, source.path, 1, message)


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


def _unreadable(reading: Reading, made: Made) -> list[Finding]:
    """What could not be read; a file of the trial itself keeps the trial from being finished."""
    found = []
    for path, error in reading.unreadable.items():
        data = bytes_or_none(path)
        help_ = _HELP_UNREADABLE if path.suffix == ".py" and data is not None else ""
        found.append(_bad(path, data or b"", error, help_))
        if path.suffix == ".py" and names.mentions_legacy(data or b""):
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


def _bad(path: Path, data: bytes, error: Unreadable, help_: str) -> Finding:
    lines = data.decode("utf-8", errors="replace").splitlines()
    is_line = error.cell is None and 0 < error.line <= len(lines)
    code = lines[error.line - 1] if is_line else ""
    return Finding(
        Kind.BAD_INPUT, SCAN, path, error.line, str(error), help_, code=code, cell=error.cell
    )
