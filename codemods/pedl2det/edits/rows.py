"""A block of statements as rows of text, which can be added and taken away.

The comments and blank lines of all others stay.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from pedl2det.analysis.source import Source, first_line, lines_of
from pedl2det.edits.comments import FOR_TOOLS


@dataclass
class Row:
    """A line of simple statements, or a compound statement."""

    above: list[str]  #: the comments and blank lines above it
    code: str  #: its lines, with their ends; empty once it is gone
    nodes: list[ast.stmt]  #: its statements


def rows_of(source: Source, body: Sequence[ast.stmt]) -> list[Row]:
    """Return the rows of a block; what is above the first row of a module is its head."""
    lines = lines_of(source.text)
    found: list[Row] = []
    end = 0
    for statement in body:
        start, last = first_line(statement) - 1, statement.end_lineno or 0
        if found and start < end:  # behind a semicolon
            found[-1].nodes.append(statement)
            found[-1].code += "".join(lines[end:last])
        else:
            above = lines[end:start] if found else _above(lines, start)
            found.append(Row(above, "".join(lines[start:last]), [statement]))
        end = last
    if body is source.tree.body and found:
        found[0].above = []
    return found


def _above(lines: Sequence[str], start: int) -> list[str]:
    above = itertools.takewhile(
        lambda line: is_blank(line) or is_comment(line), reversed(lines[:start])
    )
    return [*above][::-1]


def is_blank(line: str) -> bool:
    """Whether a line has neither code nor a comment."""
    return not line.strip()


def is_comment(line: str) -> bool:
    """Whether a line is a comment alone."""
    return line.lstrip().startswith("#")


def take_blank_lines(row: Row) -> list[str]:
    """Take away the blank lines that a row has above its comments; return them."""
    blank = [*itertools.takewhile(is_blank, row.above)]
    del row.above[: len(blank)]
    return blank


def text_of(rows: Sequence[Row], empty: str = "") -> str:
    """Return the text of a block.

    Comments above a row that is gone stay above the next one, or at the end.

    Args:
        rows: the rows.
        empty: what a block without statements holds.
    """
    lines: list[str] = []
    waiting: list[str] = []
    is_closed_up = is_begun = False
    for row in rows:
        if not row.code:
            waiting += [line for line in row.above if not line.lstrip().startswith(FOR_TOOLS)]
            is_closed_up = True
            continue
        above = row.above
        if is_closed_up:
            keeps = any(map(is_comment, waiting)) or not above
            above = [*waiting, *above] if keeps else above
            if not is_begun:  # nothing is above the first statement
                above = [*itertools.dropwhile(is_blank, above)]
            waiting, is_closed_up = [], False
        lines += [*above, row.code]
        is_begun = True
    return "".join([*lines, *([] if is_begun else [empty]), *filter(is_comment, waiting)])
