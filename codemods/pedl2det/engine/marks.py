"""Places of findings, and ``# TODO(pedl2det P030): ...`` above what a person has to finish."""

from __future__ import annotations

import ast
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from pedl2det.analysis.source import Source, first_line
from pedl2det.analysis.trial import Reference
from pedl2det.edits.apply import apply
from pedl2det.engine.migration import Migration
from pedl2det.findings import Finding, Kind
from pedl2det.fixes import Edit, Fix, Mark, Remark


def finding_at(
    source: Source, node: ast.AST, kind: Kind, rule: str, message: str, help_: str = ""
) -> Finding:
    """Return a finding about a node."""
    line = getattr(node, "lineno", 1)
    finding = finding_on(source, line, kind, rule, message, help_)
    if not hasattr(node, "lineno") or not finding.code:
        return finding
    column, end = _columns(source, node)
    return replace(finding, column=column + 1, end_column=end + 1)


def finding_on(
    source: Source, line: int, kind: Kind, rule: str, message: str, help_: str = ""
) -> Finding:
    """Return a finding about a whole line of a file."""
    code = source.lines[line - 1] if 0 < line <= len(source.lines) else ""
    cell, shown = source.place(line)
    return Finding(kind, rule, source.path, shown, message, help_, code=code, cell=cell)


def _columns(source: Source, node: Any) -> tuple[int, int]:
    """The first column of a node, and the column after its last one on the same line."""
    line, column = source.start(node)
    if getattr(node, "end_lineno", line) != line:
        return column, max(len(source.lines[line - 1].rstrip()), column + 1)
    _, (_, end) = source.span(node)
    return column, max(end, column + 1)


#: The rule of marks that no other rule writes.
GENERIC = "P000"
_LEAST, _MOST = 79, 100
#: A mark, with the lines of comment that continue it.
_MARK = re.compile(r"(?m)^[ \t]*# TODO\(pedl2det (\w+)\): (.*(?:\n[ \t]*#(?! TODO\(pedl2det ).*)*)")


def mark(remark: Remark) -> Fix | None:
    """Return the fix that marks the place of a remark; None if this rule has marked it."""
    statement = remark.source.names.statement_of(remark.node)
    if is_marked(remark.source, statement, remark.rule):
        return None
    longest = max(map(len, remark.source.lines))
    width = min(max(longest, _LEAST), _MOST) - statement.col_offset - len("# ")
    lines = _wrapped(f"{_title(remark.rule)}: {remark.message}", width)
    for line in remark.help.splitlines():
        indent = "  " + line[: len(line) - len(line.lstrip())]
        lines += _wrapped(line.strip(), width, indent)
    fix = Fix(remark.node, (Mark(statement, "\n".join(lines)),))
    return fix.placed(remark.rule, lambda _: remark.source)


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    whole = {"break_long_words": False, "break_on_hyphens": False}
    return textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent, **whole)  # type: ignore[arg-type]


def is_marked(source: Source, statement: ast.stmt, rule: str | None = None) -> bool:
    """Tell whether a statement has a mark above it, of one rule or of any."""
    title = "TODO(pedl2det " if rule is None else _title(rule)
    line = first_line(statement) - 1
    while line > 0 and source.lines[line - 1].lstrip().startswith("#"):
        if title in source.lines[line - 1]:
            return True
        line -= 1
    return False


def existing_marks(source: Source) -> Iterator[Finding]:
    """Yield the marks of earlier runs in a file, as findings."""
    for match in _MARK.finditer(source.text):
        line = source.text.count("\n", 0, match.start()) + 1
        message = re.sub(r"\s*\n[ \t]*#[# \t]*", " ", match[2]).rstrip()
        yield finding_on(source, line, Kind.LEFT, match[1], message)


def _title(rule: str) -> str:
    return f"TODO(pedl2det {rule})"


def mark_open(migration: Migration, references: Iterable[Reference]) -> None:
    """Mark the legacy names of new texts that nothing accounts for, and report each."""
    marks: dict[Path, dict[Edit, None]] = defaultdict(dict)  # in order
    sources: dict[Path, Source] = {}
    before = {source.path: source for source in migration.trial.modules}
    for reference in references:
        path, sources[reference.source.path] = reference.source.path, reference.source
        help_ = reference.row.write if reference.row is not None else ""
        text = f"no rule rewrites this use of {reference.dotted}", help_
        old = before[path]
        finding = finding_at(reference.source, reference.node, Kind.LEFT, GENERIC, *text)
        cell, line = old.place(_old_line(old, reference.source, reference.node.lineno))
        migration.findings.append(replace(finding, cell=cell, line=line))
        migration.marked[path] += 1
        fix = mark(Remark(reference.node, *text, rule=GENERIC, source=reference.source))
        marks[path] |= dict.fromkeys(fix.edits if fix is not None else ())
    for path, edits in marks.items():
        migration.texts[path] = apply(sources[path], edits, {})


def _old_line(old: Source, new: Source, line: int) -> int:
    """The line of the old text for one of the new; for an added line, the line above it."""
    from difflib import SequenceMatcher  # for the few trials that are not finished

    matcher = SequenceMatcher(None, old.lines, new.lines, autojunk=False)
    for _, first, last, new_first, new_last in matcher.get_opcodes():
        if new_first < line <= new_last:
            return max(min(first + line - new_first, last), 1)
    return max(len(old.lines), 1)
