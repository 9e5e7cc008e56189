"""What becomes of comments.

The comments of code that is replaced stay: what has no place in the new code moves to the line
above. A deleted statement takes the comments in it and behind it along, and a finding names them;
the comments above it always stay. A comment that speaks to a tool goes with the code
that it speaks of.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import libcst as cst

#: Comments for tools, which speak of code that is gone.
FOR_TOOLS = ("# type:", "# noqa", "# pylint:", "# yapf:", "# fmt:", "# pragma:", "# isort:")


class Gone(cst.Pass):
    """Stands where a statement was deleted, until its comments have found a place."""


def keep_comments(
    original: Any, lines: Sequence[Any], head_only: bool = False, text: str = "#"
) -> list[Any]:
    """Give the statements that take a statement's place its comments.

    The lines above the original are not among them. The body of a block keeps its own comments
    where only its head changes. A text without ``#`` has no comments to lose.
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
    rest[-1], lost = _with_trailing(original, rest[-1], lost)
    first = rest[0]
    for_people = [one for one in lost.elements() if not one.startswith(FOR_TOOLS)]
    own = [one for one in first.leading_lines if one.comment is not None or not above]
    leading = [*above, *(cst.EmptyLine(comment=cst.Comment(one)) for one in for_people), *own]
    return [first.with_changes(leading_lines=leading), *rest[1:]]


def settled(block: Any) -> Any:
    """A block or a module without deleted statements; an empty block gets ``pass``.

    Their comments stay above the next statement, or at the end.
    """
    kept: list[Any] = []
    waiting: list[Any] = []
    is_closed_up = False
    for statement in block.body:
        own = list(statement.leading_lines)
        is_line = isinstance(statement, cst.SimpleStatementLine)
        if is_line and isinstance(statement.body[0], Gone):
            waiting += [
                line
                for line in own
                if line.comment is None or not line.comment.value.startswith(FOR_TOOLS)
            ]
            is_closed_up = True
            continue
        if is_closed_up:
            lines = [*waiting, *own] if any(line.comment for line in waiting) or not own else own
            if not kept:  # nothing is above the first statement
                lines = [*itertools.dropwhile(lambda line: line.comment is None, lines)]
            statement = statement.with_changes(leading_lines=lines)
            waiting, is_closed_up = [], False
        kept.append(statement)
    if len(kept) == len(block.body):
        return block
    if isinstance(block, cst.IndentedBlock) and not kept:
        kept = [cst.SimpleStatementLine([cst.Pass()])]
    comments = [line for line in waiting if line.comment is not None]
    return block.with_changes(body=kept, footer=[*comments, *block.footer])


def _with_trailing(original: Any, last: Any, lost: Counter[str]) -> tuple[Any, Counter[str]]:
    """Keep the comment at the end of a line at the end of the last new line."""
    trailing = getattr(original, "trailing_whitespace", None)
    own = getattr(last, "trailing_whitespace", None)
    if trailing is None or own is None or trailing.comment is None or own.comment is not None:
        return last, lost
    return last.with_changes(trailing_whitespace=trailing), lost - Counter([trailing.comment.value])


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
