"""Look at new texts as if they were on the disk: names, marks, a second run."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis.config import Config
from pedl2det.analysis.project import Reading, made
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.edits.apply import apply
from pedl2det.engine.draft import draft
from pedl2det.engine.marks import text_of
from pedl2det.engine.options import Options
from pedl2det.engine.places import finding_at, finding_on, statement_of
from pedl2det.engine.propose import propose
from pedl2det.findings import Finding, Kind
from pedl2det.fixes import Mark

#: The rule of marks that no other rule writes.
GENERIC = "P000"


def trial_of(reading: Reading, texts: Mapping[Path, str], configs: Mapping[Path, Config]) -> Trial:
    """Return what rules would see if the new texts were written."""
    sources = {
        name: with_text(source, texts.get(source.path, source.text))
        for name, source in reading.trial.modules.by_name.items()
    }
    form = {"carried": reading.trial.carried, "mended": reading.trial.mended}
    return made(reading.project, sources, configs, **form)


def with_text(source: Source, text: str) -> Source:
    """Return a file with another text."""
    return replace(source, text=text, tree=ast.parse(text))


def mark_open(
    trial: Trial, originals: Mapping[Path, Source], references: Iterable[Reference]
) -> tuple[dict[Path, str], list[Finding]]:
    """Mark legacy names that nothing accounts for.

    Args:
        trial: the new texts.
        originals: the old files; findings are about their lines.
        references: the names.

    Returns:
        The texts with marks, and a finding for each name.
    """
    edits: dict[Path, dict[tuple[ast.stmt, str], Mark]] = {}
    findings = []
    sources = {source.path: source for source in trial.modules}
    for one in references:
        message = f"no rule rewrites this use of {one.dotted}"
        help_ = one.row.write if one.row is not None else _hint(one.dotted)
        findings.append(in_old_text(one, originals[one.source.path], message, help_))
        statement = statement_of(one.source, one.node)
        if statement is not None:
            text = text_of(one.source, statement, GENERIC, message, help_)
            mine = edits.setdefault(one.source.path, {})
            mine[statement, one.dotted] = Mark(statement, text)
    texts = {path: apply(sources[path], mine.values(), {}) for path, mine in edits.items()}
    return texts, findings


def _hint(dotted: str) -> str:
    """What is known of a name that no table has."""
    known = names.namesakes(dotted)
    return f"it was {' or '.join(known)}: import it from there" if known else ""


def in_old_text(one: Reference, old: Source, message: str, help_: str) -> Finding:
    """Return a finding about a name of a new text, at its line in the old text."""
    line = old_line(old, one.source, one.node.lineno)
    found = finding_on(old, line, Kind.LEFT, GENERIC, message, help_)
    if old.lines[line - 1] == one.source.lines[one.node.lineno - 1]:
        there = finding_at(one.source, one.node, Kind.LEFT, GENERIC, message, help_)
        return replace(found, column=there.column, end_column=there.end_column)
    return found


def old_line(old: Source, new: Source, line: int) -> int:
    """Return the line of the old text for a line of the new one.

    It is the same line, or of those that were rewritten there the one that has most of it, or
    else the line above.
    """
    matcher = difflib.SequenceMatcher(None, old.lines, new.lines, autojunk=False)
    for tag, first, last, new_first, new_last in matcher.get_opcodes():
        if not new_first < line <= new_last:
            continue
        if tag == "equal":
            return first + line - new_first
        shares = [_common(text, new.lines[line - 1]) for text in old.lines[first:last]]
        return first + shares.index(max(shares)) + 1 if shares else max(first, 1)
    return max(len(old.lines), 1)


def _common(old: str, new: str) -> int:
    """Return how many characters of a new line are in an old one, which may be longer."""
    blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks)


def changed_again(trial: Trial, options: Options) -> list[Finding]:
    """Run the rules on new texts; return a finding for each place that they would change again."""
    proposals = propose(trial, options)
    if proposals.findings and any(one.kind is Kind.DEFECT for one in proposals.findings):
        return [one for one in proposals.findings if one.kind is Kind.DEFECT]
    again = draft(trial, proposals.fixes)
    if not any(text != _text(trial, path) for path, text in again.texts.items()):
        return []
    return [
        finding_at(fix.source, fix.node, Kind.DEFECT, fix.rule, "a second run changes this again")
        for fix in again.fixes
        if fix.source.path in again.texts
    ]


def _text(trial: Trial, path: Path) -> str:
    return next(source.text for source in trial.modules if source.path == path)
