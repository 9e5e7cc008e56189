"""Write ``# TODO(pedl2det P030): ...`` above what a person has to finish."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from pedl2det.analysis.source import Source
from pedl2det.engine.places import first_line, statement_of
from pedl2det.fixes import Fix, Mark, Remark

_LEAST, _MOST = 79, 100
_MARK = re.compile(r"\s*# TODO\(pedl2det (\w+)\): (.*)")


def mark(remark: Remark) -> Fix | None:
    """Return the fix that marks the place of a remark; None if it has a mark of this rule."""
    statement = statement_of(remark.source, remark.node)
    if statement is None or is_marked(remark.source, statement, remark.rule):
        return None
    text = text_of(remark.source, statement, remark.rule, remark.message, remark.help)
    edit = Mark(statement, text)
    return Fix(remark.rule, remark.source, remark.node, (edit,))


def text_of(source: Source, statement: ast.stmt, rule: str, message: str, help_: str = "") -> str:
    """Return the lines of a mark, without the ``#`` in front of each."""
    longest = max(map(len, source.lines), default=0)
    width = min(max(longest, _LEAST), _MOST) - statement.col_offset - len("# ")
    lines = textwrap.wrap(
        f"{_title(rule)}: {message}", width, break_long_words=False, break_on_hyphens=False
    )
    for line in help_.splitlines():
        indent = "  " + line[: len(line) - len(line.lstrip())]
        lines += textwrap.wrap(
            line.strip(),
            width,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines)


def is_marked(source: Source, statement: ast.stmt, rule: str | None = None) -> bool:
    """Tell whether a statement has a mark above it: of a rule, or of any."""
    title = "TODO(pedl2det " if rule is None else _title(rule)
    line = first_line(statement) - 1
    while line > 0 and source.lines[line - 1].lstrip().startswith("#"):
        if title in source.lines[line - 1]:
            return True
        line -= 1
    return False


@dataclass(frozen=True)
class Existing:
    """A mark of an earlier run.

    Attributes:
        rule: the rule that wrote it.
        line: the line of code below it.
        message: what it says.
        help: the code to write.
    """

    rule: str
    line: int
    message: str
    help: str


def existing(source: Source) -> Iterator[Existing]:
    """Return the marks of earlier runs in a file."""
    if "TODO(pedl2det " not in source.text:
        return
    for number, text in enumerate(source.lines, 1):
        found = _MARK.match(text)
        if found is None:
            continue
        message, at = [found[2]], number
        help_: list[str] = []
        while at < len(source.lines) and source.lines[at].lstrip().startswith("#"):
            line = source.lines[at].lstrip().removeprefix("#").removeprefix(" ")
            if _MARK.match(source.lines[at]):
                break
            (help_ if line.startswith("  ") else message).append(line.strip())
            at += 1
        while at < len(source.lines) and source.lines[at].lstrip().startswith("#"):
            at += 1
        yield Existing(found[1], at + 1, " ".join(message), "\n".join(help_))


def _title(rule: str) -> str:
    return f"TODO(pedl2det {rule})"
