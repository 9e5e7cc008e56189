"""What becomes of comments.

The comments of code that is replaced stay: what has no place in the new code moves to the line
above. A deleted assignment or import takes the comments in it and behind it along, and a finding
names them; an import of which a new one takes the place leaves them above it. The comments
above a deleted assignment go too if nothing else is below them, up to the next blank line or
comment; else they stay, since they may speak of the rest. The comments above an import always
stay. A comment that speaks to a tool goes with the code that it speaks of.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import libcst as cst

#: Comments for tools, which speak of code that is gone.
FOR_TOOLS = ("# type:", "# noqa", "# pylint:", "# yapf:", "# fmt:", "# pragma:", "# isort:")


#: Statements that do nothing but bind names: their comments speak of these names.
_BINDINGS = (cst.Assign, cst.AnnAssign, cst.Import, cst.ImportFrom)


class Gone(cst.Pass):
    """Stands where a statement was deleted, until its comments have found a place."""


class GoneBinding(Gone):
    """Stands where names were bound: what nobody binds needs no comment."""


def keep_comments(
    original: Any, lines: Sequence[Any], head_only: bool = False, text: str = "#"
) -> list[Any]:
    """Give the statements that take a statement's place its comments.

    The lines above the original are not among them. The body of a block keeps its own comments
    where only its head changes. A text without ``#`` has no comments to lose.
    """
    above = list(original.leading_lines)
    if not lines:
        return [_gone(original, above)]
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


def _gone(original: Any, above: list[Any]) -> cst.SimpleStatementLine:
    """What stands for a deleted statement."""
    small = getattr(original, "body", ())
    is_line = isinstance(original, cst.SimpleStatementLine)
    if is_line and all(isinstance(one, _BINDINGS) for one in small):
        return cst.SimpleStatementLine([GoneBinding()], leading_lines=above)
    trailing = original.trailing_whitespace.comment if is_line else None
    if trailing is not None:
        above = [*above, cst.EmptyLine(comment=trailing)]
    return cst.SimpleStatementLine([Gone()], leading_lines=above)


def settled_block(block: cst.IndentedBlock, body: Sequence[Any]) -> cst.IndentedBlock:
    """A block with a new body, without deleted statements; an empty one gets ``pass``."""
    body, comments = settle(body)
    if body == list(block.body):
        return block
    body = body or [cst.SimpleStatementLine([cst.Pass()])]
    return block.with_changes(body=body, footer=[*comments, *block.footer])


def settled_module(module: cst.Module) -> cst.Module:
    """A module without deleted statements."""
    body, comments = settle(module.body)
    if body and is_gone(module.body[0]) and not module.header:
        lines = itertools.dropwhile(lambda line: line.comment is None, body[0].leading_lines)
        body[0] = body[0].with_changes(leading_lines=list(lines))
    return module.with_changes(body=body, footer=[*comments, *module.footer])


def settle(body: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Take deleted statements out of a body.

    Returns:
        The body, and the comments that no later statement could take.
    """
    kept: list[Any] = []
    waiting: list[tuple[Any, Any]] = []
    is_first = False
    for statement in body:
        if is_gone(statement):
            if statement.leading_lines:
                waiting = [pair for pair in waiting if not _is_binding(pair[1])]
            waiting += [
                (line, statement)
                for line in statement.leading_lines
                if line.comment is None or not line.comment.value.startswith(FOR_TOOLS)
            ]
            is_first = is_first or not kept
            continue
        if waiting or is_first:
            lines = _taken_over(waiting, list(statement.leading_lines), is_first)
            statement = statement.with_changes(leading_lines=lines)
            waiting, is_first = [], False
        kept.append(statement)
    left = [line for line, gone in waiting if line.comment is not None and not _is_binding(gone)]
    return kept, left


def _taken_over(waiting: Sequence[tuple[Any, Any]], own: list[Any], is_first: bool) -> list[Any]:
    """The lines above a statement, with those of the deleted statements above it."""
    lines = [line for line, gone in waiting if not own or not _is_binding(gone)]
    if own and all(line.comment is None for line in lines):
        lines = []
    found = [*lines, *own]
    while is_first and found and found[0].comment is None:
        found.pop(0)
    return found


def _is_binding(statement: Any) -> bool:
    return isinstance(statement.body[0], GoneBinding)


def is_gone(statement: Any) -> bool:
    """Whether a statement stands for a deleted one."""
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(statement.body[0], Gone)


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
