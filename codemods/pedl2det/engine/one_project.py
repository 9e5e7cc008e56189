"""Migrate one project: lower, rules, draft, check, names, configs, status. Nothing is written."""

from __future__ import annotations

import ast
import functools
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis.models import is_local
from pedl2det.analysis.project import Project, Reader, Reading, read
from pedl2det.analysis.source import Source
from pedl2det.analysis.tree import NOTEBOOK, bytes_or_none
from pedl2det.engine import check
from pedl2det.engine.draft import draft
from pedl2det.engine.marks import GENERIC, existing_marks, finding_at, mark, mark_open
from pedl2det.engine.migration import Change, Migration, Options, Outcome, Result, Status
from pedl2det.engine.settling import SCAN, settle
from pedl2det.engine.texts import migrate_configs, notebook_findings
from pedl2det.findings import Finding, Kind
from pedl2det.fixes import Fix, Remark, Replace, ReplaceStatement
from pedl2det.rules import Rule, rules_for

_NAMES = "P010"
#: Begins a note about what no rule could rewrite.
_KEPT = "carried over unchanged: "
_FAILED = "migrate failed: "
_HELP_UNREADABLE = "convert the file to Python 3 text, and run migrate again"


def migrate_project(
    project: Project, reader: Reader, options: Options, directories: Iterable[Path] = ()
) -> Result:
    """Rewrite one project; carry its trials over whole where that leaves less for a person to do.

    The result can be pickled. Files may also be written in ``directories``.
    """
    is_carried = options.carries(project.home)
    work = functools.partial(_migrate, project, reader, options, tuple(directories))
    rewritten = _or_failure(project, functools.partial(work, is_carried))
    if is_carried or options.left_out or not any(map(_is_begun, rewritten.outcomes)):
        return rewritten  # a defect leaves a project begun, too
    carried = _or_failure(project, functools.partial(work, True))
    if carried.tracebacks or not carried.outcomes or any(map(_is_begun, carried.outcomes)):
        return rewritten
    left = [finding for finding in rewritten.findings if finding.kind.is_left]
    of_rules = [
        finding for finding in left if finding.rule.startswith("P") and finding.rule != GENERIC
    ]
    carried.findings += [
        replace(reason, kind=Kind.NOTE, message=_KEPT + reason.message.removeprefix(_FAILED))
        for reason in of_rules or left
    ]
    return carried


class _WrongTextError(Exception):
    """A rewritten file would not compile, or use or define other names than the old one."""


def _is_begun(outcome: Outcome) -> bool:
    return outcome.status is Status.BEGUN


def _or_failure(project: Project, work: Callable[[], Result]) -> Result:
    """Run some work on a project; if it fails, return a finding and leave the project unchanged."""
    place = next(iter(sorted(project.needed or project.modules.values())), project.home)
    tracebacks = []
    try:
        return work()
    except RecursionError:
        message = "an expression or a config of this project is nested too deeply to be read"
        finding = Finding(Kind.LEFT, SCAN, place, 1, message, "nest it less deeply")
    except Exception as error:
        kind = "" if isinstance(error, _WrongTextError) else f"{type(error).__name__}: "
        message = f"{_FAILED}{kind}{error}"
        finding = Finding(Kind.DEFECT, SCAN, place, 1, message)
        tracebacks = [traceback.format_exc()]
    outcomes = [Outcome(project.home, Status.BEGUN, False, 0, 1)] if project.has_trial else []
    return Result(findings=[finding], outcomes=outcomes, tracebacks=tracebacks, marked=1)


def _migrate(
    project: Project, reader: Reader, options: Options, directories: tuple[Path, ...], carries: bool
) -> Result:
    unseen = options.unseen.get(project.home, {})
    reading = read(project, reader, carried=carries, unseen=unseen)
    old = (use for use in reading.trial.all_references if names.is_legacy(use.dotted))
    total = Counter(use.source.path for use in old)
    if _may_hold_scripts(reading):
        from pedl2det.scripts import lower  # which few projects need

        reading = lower(reading)
    migration = Migration(reading, reading.trial, options, total=total)
    _rewrite(migration)
    if reading.scripts:
        _report_scripts(migration)
    for path, error in reading.unreadable.items():
        data = bytes_or_none(path) if path.suffix == ".py" else None
        help_ = _HELP_UNREADABLE if data is not None else ""
        place = SCAN, path, error.line, str(error), help_
        migration.findings.append(Finding(Kind.BAD_INPUT, *place, cell=error.cell))
        if names.mentions_legacy(data or b""):
            migration.marked[path] += 1
    # Marks of an earlier run that are still there; rules report some of them again.
    left = (finding for finding in migration.findings if finding.kind is Kind.LEFT)
    known = {(finding.path, finding.rule) for finding in left}
    before = [
        finding for source in reading.originals.values() for finding in existing_marks(source)
    ]
    migration.findings += [old for old in before if (old.path, old.rule) not in known]
    if any(path.suffix == NOTEBOOK for path in reading.originals):
        migration.findings += notebook_findings(reading)
    return settle(migration, directories)


def _may_hold_scripts(reading: Reading) -> bool:
    """Whether a file may train on its own, or pass a trial to the Native API."""
    configs = reading.configs.values()
    return (
        bool(reading.project.scripts)
        or any(config.entry("entrypoint", "script") is not None for config in configs)
        or any("create(" in source.text for source in reading.trial.modules)
    )


def _report_scripts(migration: Migration) -> None:
    """Add the pieces and findings of scripts, at their old lines; undo scripts if left out."""
    from pedl2det.scripts import RULE, at_old_lines

    reading = migration.reading
    migration.findings = at_old_lines(reading, migration.findings)
    migration.changes = at_old_lines(reading, migration.changes)
    for path, script in reading.scripts.items():
        migration.support |= script.support
        migration.findings += script.findings
        if RULE in migration.options.left_out:
            message = "scripts was left out, and this needs it"
            migration.findings.append(Finding(Kind.SUPPRESSED, RULE, path, 1, message))
            migration.texts.pop(path, None)
            for new in migration.configs.keys() - reading.configs.keys():
                del migration.configs[new]
            migration.marked[path], migration.suppressed[path] = 0, migration.total[path]


def _rewrite(migration: Migration) -> None:
    """Run the rules, apply their fixes, mark what is left, and migrate the configs."""
    reading, trial = migration.reading, migration.trial
    if reading.project.has_trial and trial.roots:
        _propose(migration)
    _set_aside_unreached(migration)
    marks = [mark(remark) for remark in migration.remarks if remark.kind is Kind.LEFT]
    migration.fixes += [fix for fix in marks if fix is not None]
    new = _draft_or_leave(migration)
    _report(migration)
    originals = reading.originals
    for source in trial.modules:  # what lowering changed
        if source.path in originals and source.text != originals[source.path].text:
            migration.texts.setdefault(source.path, source.text)
    migrate_configs(migration)
    if new is not None and (left := check.account(migration, new)):
        mark_open(migration, left)


def _set_aside_unreached(migration: Migration) -> None:
    """Only note names without a successor that no training needs: they fail under `run`, too."""
    trial = migration.trial
    is_set_aside = migration.reading.project.home in migration.options.set_aside
    for number, remark in enumerate(migration.remarks):
        is_open = remark.kind is Kind.LEFT and remark.rule == _NAMES
        is_open &= not names.is_legacy(trial.modules.meaning(remark.node) or "")
        if is_open and (is_set_aside or is_local(trial, remark.node)):
            message = f"no training needs this: {remark.message}"
            migration.remarks[number] = replace(remark, kind=Kind.NOTE, message=message)


def _draft_or_leave(migration: Migration) -> dict[str, Source] | None:
    """Apply the fixes of a project, and return its new files; None if the project is left."""
    draft(migration)
    new: dict[str, Source] = {}
    problems = []
    for name, old in migration.trial.modules.by_name.items():
        is_new = old.path in migration.texts
        text = migration.texts.get(old.path, old.text)
        new[name] = replace(old, text=text, tree=ast.parse(text) if is_new else old.tree)
        if is_new and (problem := check.problem_with(old, new[name])) is not None:
            problems.append(f"{old.path.name} {problem}")
    if not problems:
        return new
    if not migration.dropped:
        raise _WrongTextError(f"rewritten, {'; '.join(problems)}")
    # Without a fix that the user left out, others may be wrong.
    migration.texts.clear()
    migration.fixes, migration.support = [], frozenset()
    migration.suppressed = migration.total.copy()
    return None


def _report(migration: Migration) -> None:
    """Report fixes and remarks, except those that an outer fix has replaced."""
    marked = set()
    for fix in migration.fixes:
        at = fix.source, fix.node
        migration.findings += [finding_at(*at, kind, fix.rule, text) for kind, text in fix.notes]
        if fix.is_mark:
            marked.add((fix.source.path, fix.node, fix.rule))
        else:
            place = finding_at(*at, Kind.NOTE, fix.rule, "")
            migration.changes.append(Change(fix.rule, place.path, place.line, place.cell))
    for remark in migration.remarks:
        is_marked = (remark.source.path, remark.node, remark.rule) in marked
        if remark.kind is not Kind.LEFT or is_marked or mark(remark) is None:
            what = remark.source, remark.node, remark.kind, remark.rule
            migration.findings.append(finding_at(*what, remark.message, remark.help))
    for source in migration.trial.modules:
        if source.path in migration.texts:
            new = migration.texts[source.path]
            migration.findings += check.lost_comments(source, new)


def _propose(migration: Migration) -> None:
    """Collect the fixes and remarks of every rule, and drop those that the user does not want."""
    for rule in rules_for(migration.trial):
        for proposed in rule.check(migration.trial):
            proposal: Fix | Remark = proposed.placed(rule.id, migration.trial.modules.home)
            reason = _unwanted(rule, proposal, migration.options)
            is_note = isinstance(proposal, Remark) and proposal.kind is not Kind.LEFT
            if reason is not None and not is_note:
                migration.dropped.append(proposal)
                place = proposal.source, proposal.node, Kind.SUPPRESSED, proposal.rule
                migration.findings.append(finding_at(*place, reason))
            elif isinstance(proposal, Remark):
                migration.remarks.append(proposal)
            else:
                migration.fixes.append(proposal)


def _unwanted(rule: Rule, proposal: Fix | Remark, options: Options) -> str | None:
    if rule.id in options.left_out:
        if isinstance(proposal, Remark):
            return f"{proposal.message} ({rule.name} was left out)"
        return f"{rule.name} was left out, and this needs it"
    lines = [(proposal.source, getattr(proposal.node, "lineno", 0))]
    for source, edit in proposal.located if isinstance(proposal, Fix) else ():
        first: int = getattr(edit.node, "lineno", 0)
        is_whole = isinstance(edit, Replace | ReplaceStatement)
        last = getattr(edit.node, "end_lineno", None) if is_whole else None
        lines += [(source, line) for line in range(first, (last or first) + 1)]
    if any(line in source.skipped for source, line in lines):
        return f"{rule.name} would rewrite this, and a comment says to skip it"
    return None
