"""Run the rules, and drop what the user does not want."""

from __future__ import annotations

import ast
import traceback
from collections.abc import Iterator

from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.engine.marks import finding_at
from pedl2det.engine.migration import Migration
from pedl2det.engine.options import Options
from pedl2det.findings import Kind
from pedl2det.fixes import Edit, Fix, Remark, Replace, ReplaceStatement, place_of
from pedl2det.rules import Rule, rules_for


def propose(migration: Migration) -> None:
    """Ask every rule what it would do: its fixes and remarks, and what of them is dropped."""
    for rule in rules_for(migration.trial):
        for proposal in _checked(rule, migration):
            reason = _unwanted(rule, proposal, migration.options)
            is_said = isinstance(proposal, Remark) and proposal.kind is not Kind.LEFT
            if reason is not None and not is_said:
                migration.dropped.append(proposal)
                place = proposal.source, proposal.node
                kind = Kind.SUPPRESSED
                migration.findings.append(finding_at(*place, kind, proposal.rule, reason))
            elif isinstance(proposal, Remark):
                migration.remarks.append(proposal)
            else:
                migration.fixes.append(proposal)


def _checked(rule: Rule, migration: Migration) -> Iterator[Fix | Remark]:
    """What a rule returns; one that fails is reported and stops no other."""
    try:
        home = migration.trial.modules.home
        yield from (proposal.placed(rule.id, home) for proposal in rule.check(migration.trial))
    except RecursionError:
        raise
    except Exception as error:
        migration.tracebacks.append(traceback.format_exc())
        message = f"{rule.name} failed: {type(error).__name__}: {error}"
        place = place_of_project(migration.trial)
        migration.findings.append(finding_at(*place, Kind.DEFECT, rule.id, message))


def place_of_project(trial: Trial) -> tuple[Source, ast.AST]:
    """Return the place to name for a whole project: its trial, or its first file."""
    for owner in trial.roots:
        return trial.modules.home(owner), owner
    source = next(iter(trial.modules))
    return source, source.tree


def _unwanted(rule: Rule, proposal: Fix | Remark, options: Options) -> str | None:
    """Why the user does not want a fix, or None."""
    if rule.id in options.left_out:
        if isinstance(proposal, Remark):
            return f"{proposal.message} ({rule.name} was left out)"
        return f"{rule.name} was left out, and this needs it"
    lines = [(proposal.source, getattr(proposal.node, "lineno", 0))]
    if isinstance(proposal, Fix):
        lines += [(source, line) for source, edit in proposal.located for line in _lines(edit)]
    if any(source.skipped and line in source.skipped for source, line in lines):
        return f"{rule.name} would rewrite this, and a comment says to skip it"
    return None


def _lines(edit: Edit) -> range:
    """The lines that an edit may change."""
    node = place_of(edit)
    first: int = getattr(node, "lineno", 0)
    is_whole = isinstance(edit, Replace | ReplaceStatement)
    last: int | None = getattr(node, "end_lineno", None) if is_whole else None
    return range(first, (last or first) + 1)
