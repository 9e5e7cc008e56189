"""Keep comments when code is edited.

The comments of replaced code stay: those without a place in the new code move to the line above.
The comments in a deleted statement and after it on its line go with it, and a finding names them;
the comments above it always stay. A comment for a tool goes with its code.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import libcst as cst

#: Comments for tools, which go with their code.
FOR_TOOLS = ("# type:", "# noqa", "# pylint:", "# yapf:", "# fmt:", "# pragma:", "# isort:")

Line = TypeVar("Line")


class Gone(cst.Pass):
    """A placeholder for a deleted statement, until its comments have moved."""


def keep_comments(original: Any, lines: Sequence[Any], head_only: bool, text: str) -> list[Any]:
    """Give the comments of a statement to the statements that replace it.

    The new statements do not have the lines above the original yet. The body of a block keeps its
    own comments where only its head changes. A text without ``#`` has no comments to lose.
    """
    above = list(original.leading_lines)
    if not lines:
        return [cst.SimpleStatementLine([Gone()], leading_lines=above)]
    rest = list(lines)
    lost: Counter[str] = Counter()
    if "#" in text:
        lost = _comments(original.with_changes(leading_lines=[]), head_only)
        for line in rest:
            lost -= _comments(line, head_only)
    trailing = getattr(original, "trailing_whitespace", None)
    own = getattr(rest[-1], "trailing_whitespace", None)
    if trailing and own and trailing.comment is not None and own.comment is None:
        rest[-1] = rest[-1].with_changes(trailing_whitespace=trailing)
        lost -= Counter([trailing.comment.value])
    first = rest[0]
    for_people = [comment for comment in lost.elements() if not comment.startswith(FOR_TOOLS)]
    own = [line for line in first.leading_lines if line.comment is not None or not above]
    moved = [cst.EmptyLine(comment=cst.Comment(comment)) for comment in for_people]
    return [first.with_changes(leading_lines=[*above, *moved, *own]), *rest[1:]]


def settled(block: Any) -> Any:
    """A block or a module without deleted statements; an empty block gets ``pass``."""

    def is_gone(statement: Any) -> bool:
        is_line = isinstance(statement, cst.SimpleStatementLine)
        return is_line and isinstance(statement.body[0], Gone)

    stays = [not is_gone(statement) for statement in block.body]
    if all(stays):
        return block
    above = [statement.leading_lines for statement in block.body]
    closed, end = close_up(above, stays, lambda line: line.comment.value if line.comment else "")
    left = zip(itertools.compress(block.body, stays), closed, strict=True)
    kept = [statement.with_changes(leading_lines=lines) for statement, lines in left]
    if isinstance(block, cst.IndentedBlock) and not kept:
        kept = [cst.SimpleStatementLine([cst.Pass()])]
    return block.with_changes(body=kept, footer=[*end, *block.footer])


def close_up(
    above: Iterable[Sequence[Line]], stays: Iterable[bool], comment_of: Callable[[Line], str]
) -> tuple[list[list[Line]], list[Line]]:
    """Return the comments and blank lines above each statement that stays, and those at the end.

    Comments above a statement that is gone stay above the next one, or at the end.
    """
    closed: list[list[Line]] = []
    waiting: list[Line] | None = None  # since the last statement that stays
    for lines, is_kept in zip(above, stays, strict=True):
        if not is_kept:
            left = [line for line in lines if not comment_of(line).startswith(FOR_TOOLS)]
            waiting = [*(waiting or ()), *left]
            continue
        own = [*lines]
        if waiting is not None:
            own = [*waiting, *own] if any(map(comment_of, waiting)) or not own else own
            if not closed:  # nothing is above the first statement
                own = [*itertools.dropwhile(lambda line: not comment_of(line), own)]
            waiting = None
        closed.append(own)
    return closed, [*filter(comment_of, waiting or ())]


class _Finder(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: Counter[str] = Counter()

    def visit_Comment(self, node: cst.Comment) -> None:
        self.found[node.value] += 1


def _comments(node: Any, head_only: bool) -> Counter[str]:
    if head_only and isinstance(node, cst.Try | cst.TryStar):
        return Counter()  # nothing is between `try` and its body
    if head_only and isinstance(node, cst.BaseCompoundStatement):
        node = node.with_changes(body=cst.SimpleStatementSuite([cst.Pass()]))
        if hasattr(node, "orelse"):
            node = node.with_changes(orelse=None)
    finder = _Finder()
    node.visit(finder)
    return finder.found
