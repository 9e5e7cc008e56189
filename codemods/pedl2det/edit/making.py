"""What edits are made of: functions from the libcst node in a place to what shall stand there."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst

Edit = Callable[[Any], Any]


# Every trial of a repository is given the same pieces, and libcst takes long to begin with a text.


@functools.lru_cache(maxsize=512)
def expression(code: str) -> Any:
    """The libcst expression that a text means."""
    return cst.parse_expression(code)


@dataclass(frozen=True)
class Becomes:
    """Puts another expression in a place, whatever stands there.

    Attributes:
        code: the expression.
    """

    code: str

    def __call__(self, _node: Any) -> Any:
        """The libcst expression."""
        return expression(self.code)


def becomes(code: str) -> Edit:
    """Put another expression in a place."""
    return Becomes(code)


def method_of(context: str, method: str, argument: Any) -> Any:
    """A call of one of the context's methods with one argument."""
    plain = cst.Arg(argument)
    return cst.Call(expression(f"{context}.{method}"), [plain])


def statements(code: str) -> list[Any]:
    """The libcst statements that a text means."""
    return list(_statements(code))


@functools.lru_cache(maxsize=512)
def _statements(code: str) -> Sequence[Any]:
    return cst.parse_module(code).body


def before(code: str) -> Edit:
    """Put statements before a line; comments and blank lines above it stay above all of them."""

    def edit(line: Any) -> Any:
        first, *others = statements(code)
        first = first.with_changes(leading_lines=line.leading_lines)
        return cst.FlattenSentinel([first, *others, line.with_changes(leading_lines=[])])

    return edit


class Gone(cst.Pass):
    """Stands where a statement of a module stood that goes, until its comments found a place."""


def goes(line: Any) -> Any:
    """Take a statement of a module away; the lines above it stay."""
    return line.with_changes(body=[Gone()])


def after_docstring(body: Sequence[Any]) -> int:
    """Where the first statement after a docstring stands."""
    if body and isinstance(body[0], cst.SimpleStatementLine):
        first = body[0].body[0]
        if isinstance(first, cst.Expr) and isinstance(
            first.value, cst.SimpleString | cst.ConcatenatedString
        ):
            return 1
    return 0


def into_body(code: str, after: Callable[[Any], bool] = lambda _: False) -> Edit:
    """Put statements at the beginning of a function.

    Args:
        code: the statements.
        after: whether they stand after a statement with which the function begins; they always
            stand after its docstring.
    """

    def edit(function: Any) -> Any:
        block = function.body
        if isinstance(block, cst.SimpleStatementSuite):  # def f(): pass
            block = cst.IndentedBlock([cst.SimpleStatementLine(block.body)])
        at = after_docstring(block.body)
        while at < len(block.body) and after(block.body[at]):
            at += 1
        body = [*block.body[:at], *statements(code), *block.body[at:]]
        return function.with_changes(body=block.with_changes(body=body))

    return edit
