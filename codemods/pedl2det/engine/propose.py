"""Run the rules, and drop what the user does not want."""

from __future__ import annotations

import ast
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.engine.options import Options
from pedl2det.engine.places import finding_at
from pedl2det.findings import Finding, Kind
from pedl2det.fixes import Edit, Fix, Remark, Replace, ReplaceStatement, place_of
from pedl2det.rules import Rule, rules


@dataclass
class Proposals:
    """What the rules would do to a project.

    Attributes:
        fixes: the rewrites.
        remarks: what else there is to say.
        dropped: fixes and marks that the user does not want.
        findings: why they were dropped, and which rules failed.
        tracebacks: the stacks of rules that failed.
    """

    fixes: list[Fix] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    dropped: list[Fix | Remark] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)

    def take(self, one: Fix | Remark) -> None:
        """Take in what a rule returned."""
        if isinstance(one, Fix):
            self.fixes.append(one)
        else:
            self.remarks.append(one)


def propose(trial: Trial, options: Options, chosen: Iterable[Rule] | None = None) -> Proposals:
    """Ask every rule what it would do."""
    made = Proposals()
    for rule in _that_apply(trial) if chosen is None else chosen:
        for one in _checked(rule, trial, made):
            reason = _unwanted(rule, one, options)
            if reason is None:
                made.take(one)
                continue
            if isinstance(one, Fix) or one.kind is Kind.LEFT:
                made.dropped.append(one)
            if isinstance(one, Remark) and one.kind is not Kind.LEFT:
                made.remarks.append(one)
            else:
                made.findings.append(
                    finding_at(one.source, one.node, Kind.SUPPRESSED, one.rule, reason)
                )
    _drop_covered(made)
    return made


def _that_apply(trial: Trial) -> list[Rule]:
    """The rules for a project, which may be carried over whole."""
    replaced = {id_ for rule in rules() for id_ in rule.instead_of} if trial.carried else set()
    return [rule for rule in rules() if rule.id not in replaced]


def _drop_covered(made: Proposals) -> None:
    """Drop marks at places that a dropped fix would have rewritten."""
    covered = {
        node
        for one in made.dropped
        if isinstance(one, Fix)
        for source, edit in one.located
        if isinstance(edit, Replace | ReplaceStatement)
        for node in source.names.below(edit.node)
    }
    for one in [one for one in made.remarks if one.kind is Kind.LEFT and one.node in covered]:
        made.remarks.remove(one)
        made.dropped.append(one)
        made.findings.append(
            finding_at(one.source, one.node, Kind.SUPPRESSED, one.rule, one.message)
        )


def _checked(rule: Rule, trial: Trial, made: Proposals) -> Iterator[Fix | Remark]:
    """What a rule returns; one that fails is reported and stops no other."""
    try:
        yield from rule.check(trial)
    except RecursionError:
        raise
    except Exception as error:
        made.tracebacks.append(traceback.format_exc())
        source, node = _place(trial)
        message = f"{rule.name} failed: {type(error).__name__}: {error}"
        made.findings.append(finding_at(source, node, Kind.DEFECT, rule.id, message))


def _place(trial: Trial) -> tuple[Source, ast.AST]:
    """The place to name for the whole project: its trial, or its first file."""
    for source in trial.modules:
        for node in source.names.of(ast.ClassDef):
            if any("Trial" in ast.unparse(base) for base in node.bases):
                return source, node
    source = next(iter(trial.modules))
    return source, source.tree


def _unwanted(rule: Rule, one: Fix | Remark, options: Options) -> str | None:
    """Why the user does not want a fix, or None."""
    if rule.id in options.left_out:
        if isinstance(one, Remark):
            return f"{one.message} ({rule.name} was left out)"
        return f"{rule.name} was left out, and this needs it"
    lines = [(one.source, getattr(one.node, "lineno", 0))]
    if isinstance(one, Fix):
        for source, edit in one.located:
            lines += [(source, line) for line in _lines(edit)]
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
