"""Statements of libcst that move: lines of a block, and the comments around them."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Collection, Sequence
from typing import Any

import libcst as cst

from pedl2det.engine.lowering.lowered import RULE


def lines_of(body: Any) -> list[Any]:
    """The lines of a block, one statement a line."""
    if isinstance(body, cst.SimpleStatementSuite):
        return [alone(one) for one in body.body]
    return [one for line in body.body for one in split(line)]


def split(line: Any) -> list[Any]:
    """A line of several statements as several lines."""
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) < 2:
        return [line]
    lines = [alone(one) for one in line.body]
    lines[0] = lines[0].with_changes(leading_lines=line.leading_lines)
    lines[-1] = lines[-1].with_changes(trailing_whitespace=line.trailing_whitespace)
    return lines


def alone(small: Any) -> cst.SimpleStatementLine:
    """A small statement on a line of its own."""
    return cst.SimpleStatementLine([small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)])


def with_comments_of(wrapper: Any, lines: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Lines that take the place of a block statement around them, with its comments.

    Returns:
        The lines, and the comments below the last one.
    """
    above = list(wrapper.leading_lines)
    header = getattr(wrapper.body, "header", None)
    if header is not None and header.comment is not None:
        above.append(cst.EmptyLine(comment=header.comment))
    below = [line for line in getattr(wrapper.body, "footer", ()) if line.comment is not None]
    found = list(lines)
    if found:
        first = found[0]
        found[0] = first.with_changes(leading_lines=[*above, *first.leading_lines])
    return found, below


def is_docstring(line: Any) -> bool:
    """Whether a line is nothing but a string."""
    return (
        isinstance(line, cst.SimpleStatementLine)
        and len(line.body) == 1
        and isinstance(line.body[0], cst.Expr)
        and isinstance(line.body[0].value, cst.SimpleString | cst.ConcatenatedString)
    )


def code_of(node: Any) -> str:
    """The text of a node."""
    return cst.Module([]).code_for_node(node)


def closed(value: Any) -> Any:
    """An expression that may stand on several lines wherever it is put."""
    try:
        ast.parse(code_of(value))
    except SyntaxError:
        return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return value


def without_blank_lines(line: Any, most: int) -> Any:
    """A statement with at most some blank lines above it."""
    leading = list(line.leading_lines)
    blank = 0
    while leading and leading[0].comment is None:
        leading.pop(0)
        blank += 1
    empty = [cst.EmptyLine(indent=False)] * min(blank, most)
    return line.with_changes(leading_lines=[*empty, *leading])


def todo(message: str, help_: str, width: int = 80) -> list[Any]:
    """The comment that marks a place for a person."""
    lines = textwrap.wrap(f"TODO(pedl2det {RULE}): {message}", width)
    lines += [f"  {one}" for part in help_.splitlines() for one in textwrap.wrap(part, width)]
    return [cst.EmptyLine(comment=cst.Comment(f"# {line}")) for line in lines]


def ancestors(root: Any, targets: Collection[Any]) -> set[int]:
    """The identities of some nodes and of all that they stand in.

    A transformer that visits only these keeps all other nodes as they are, with their places.
    """
    wanted = set(map(id, targets))
    found: set[int] = set()

    def walk(node: Any) -> bool:
        inside = [walk(child) for child in node.children]
        if id(node) in wanted or any(inside):
            found.add(id(node))
            return True
        return False

    walk(root)
    return found
