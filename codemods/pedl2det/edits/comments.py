"""Keep the comments of code that edits replace: they move to the line above."""

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


def keep_comments(original: Any, lines: Sequence[Any], head_only: bool = False) -> list[Any]:
    """Give the statements that take a statement's place its comments.

    Args:
        original: the statement before any edit.
        lines: the statements that take its place, without the lines above the original.
        head_only: look at the head of a block alone; its body keeps its own comments.
    """
    above = list(original.leading_lines)
    if not lines:
        return [cst.SimpleStatementLine([Gone()], leading_lines=above)]
    rest = list(lines)
    has: Counter[str] = Counter()
    for line in rest:
        has.update(_comments(line, head_only))
    lost = _comments(original.with_changes(leading_lines=[]), head_only) - has
    rest[-1], lost = _with_trailing(original, rest[-1], lost)
    comments = [
        cst.EmptyLine(comment=cst.Comment(one))
        for one in lost.elements()
        if not one.startswith(FOR_TOOLS)
    ]
    first = rest[0]
    leading = [*above, *comments, *_not_blank(first.leading_lines, bool(above))]
    return [first.with_changes(leading_lines=leading), *rest[1:]]


def settle(body: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Take deleted statements out of a body.

    Returns:
        The body, and the comments that no later statement could take.
    """
    kept: list[Any] = []
    waiting: list[Any] = []
    for statement in body:
        if is_gone(statement):
            waiting += [line for line in statement.leading_lines if _keeps(line)]
            continue
        if waiting:
            lines = [*waiting, *statement.leading_lines]
            statement, waiting = statement.with_changes(leading_lines=lines), []
        kept.append(statement)
    return kept, waiting


def is_gone(statement: Any) -> bool:
    """Whether a statement stands for a deleted one."""
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(statement.body[0], Gone)


def without_blank(lines: Sequence[Any]) -> list[Any]:
    """Lines at the start of a file, without the blank ones in front."""
    return list(itertools.dropwhile(lambda line: line.comment is None, lines))


def _keeps(line: Any) -> bool:
    return line.comment is not None and not line.comment.value.startswith(FOR_TOOLS)


def _not_blank(lines: Sequence[Any], has_above: bool) -> list[Any]:
    return [line for line in lines if line.comment is not None or not has_above]


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
