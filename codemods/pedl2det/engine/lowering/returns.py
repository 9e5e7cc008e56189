"""The body of a function without ``return``: what it returned is assigned to a name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from pedl2det.engine.lowering.blocks import closed, code_of, lines_of

_EXITS = ("sys.exit(", "exit(", "quit(", "os._exit(")
_PLAIN = (cst.Name, cst.Attribute, cst.Integer, cst.Float, cst.SimpleString)


class NoSuchForm(Exception):  # noqa: N818 - describes the function, not the failure
    """A function returns from where the code after it would still run."""


def without_returns(lines: Sequence[Any], target: str) -> list[Any]:
    """Lines in which every way through the function ends at their end.

    Args:
        lines: the body of a function.
        target: what is assigned the returned value, as code; empty if nobody uses it.

    Raises:
        NoSuchForm: it returns from a loop, or from the middle of a ``with`` or ``try``.
    """
    if not any(_returns(line) for line in lines):
        return [*lines, *_assigned("None", target)]
    return _settled(list(lines), target)


def _settled(lines: list[Any], target: str) -> list[Any]:
    found: list[Any] = []
    for number, line in enumerate(lines):
        rest = lines[number + 1 :]
        if not _returns(line):
            found.append(line)
            continue
        if isinstance(line, cst.SimpleStatementLine):
            return [*found, *_from_return(line, target)]
        if isinstance(line, cst.If):
            return [*found, _branched(line, rest, target)]
        if not rest and isinstance(line, cst.With):
            body = _settled(lines_of(line.body), target)
            return [*found, line.with_changes(body=_block(line.body, body))]
        raise NoSuchForm
    return [*found, *_assigned("None", target)]


def _branched(line: Any, rest: list[Any], target: str) -> Any:
    """An ``if`` that takes the code after it into the branch that does not return."""
    body = lines_of(line.body)
    orelse = _else_lines(line)
    if rest and _always_leaves(body):
        body, orelse = _settled(body, target), _settled([*orelse, *rest], target)
    elif rest and orelse and _always_leaves(orelse):
        body, orelse = _settled([*body, *rest], target), _settled(orelse, target)
    elif rest:
        raise NoSuchForm
    else:
        body, orelse = _settled(body, target), _settled(orelse, target)
    body = body or [cst.SimpleStatementLine([cst.Pass()])]
    made = line.with_changes(body=_block(line.body, body), orelse=None)
    if not orelse:
        return made
    return made.with_changes(orelse=cst.Else(cst.IndentedBlock(orelse)))


def _else_lines(line: Any) -> list[Any]:
    if line.orelse is None:
        return []
    return [line.orelse] if isinstance(line.orelse, cst.If) else lines_of(line.orelse.body)


def _block(old: Any, lines: list[Any]) -> Any:
    if isinstance(old, cst.IndentedBlock):
        return old.with_changes(body=lines)
    return cst.IndentedBlock(lines)


def _from_return(line: Any, target: str) -> list[Any]:
    """What takes the place of a line that ends with ``return``."""
    last = line.body[-1]
    value = last.value
    before = [line.with_changes(body=line.body[:-1])] if line.body[1:] else []
    if target and (value is None or code_of(value) != target):
        made: list[Any] = _assigned(value if value is not None else "None", target)
    elif value is not None and not target and not isinstance(value, (*_PLAIN, cst.Tuple)):
        made = [cst.SimpleStatementLine([cst.Expr(value)])]
    else:
        made = []
    if made and not before:
        made[0] = made[0].with_changes(
            leading_lines=line.leading_lines, trailing_whitespace=line.trailing_whitespace
        )
    return [*before, *made]


def _assigned(value: Any, target: str) -> list[Any]:
    if not target:
        return []
    node = cst.parse_expression(value) if isinstance(value, str) else value
    name: Any = cst.parse_expression(target)
    targets = [cst.AssignTarget(name)]
    return [cst.SimpleStatementLine([cst.Assign(targets, closed(node))])]


def _always_leaves(lines: Sequence[Any]) -> bool:
    """Whether a block never reaches the code after it."""
    if not lines:
        return False
    last = lines[-1]
    if isinstance(last, cst.SimpleStatementLine):
        end = last.body[-1]
        is_exit = isinstance(end, cst.Expr) and code_of(end).startswith(_EXITS)
        return isinstance(end, cst.Return | cst.Raise) or is_exit
    if isinstance(last, cst.If):
        return (
            bool(last.orelse)
            and _always_leaves(lines_of(last.body))
            and (_always_leaves(_else_lines(last)))
        )
    return False


class _Finder(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Look for ``return``, except in functions and classes within."""
        self.found = self.found or isinstance(node, cst.Return)
        return not self.found and not isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Lambda)


def _returns(line: Any) -> bool:
    finder = _Finder()
    line.visit(finder)
    return finder.found
