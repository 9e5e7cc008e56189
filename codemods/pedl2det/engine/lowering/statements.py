"""The statements of a script: each as ``ast`` knows it, with its code."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst

from pedl2det.analysis.bindings import COMPREHENSIONS, FUNCTIONS
from pedl2det.analysis.source import Source

_SCOPES = (*FUNCTIONS, ast.ClassDef, *COMPREHENSIONS)


@dataclass(frozen=True)
class Line:
    """A statement.

    Attributes:
        node: the statement.
        code: its libcst form, on lines of its own.
    """

    node: ast.stmt
    code: Any


def lines_of(source: Source) -> tuple[cst.Module, list[Line]]:
    """The statements of a module, and its libcst form."""
    module = cst.parse_module(source.text)
    return module, paired(source.tree.body, module)


def paired(nodes: Sequence[ast.stmt], block: Any) -> list[Line]:
    """The statements of a module or a block, one a line."""
    if isinstance(block, cst.SimpleStatementSuite):
        codes = [_alone(one) for one in block.body]
    else:
        codes = [one for line in block.body for one in _split(line)]
    return [Line(node, code) for node, code in zip(nodes, codes, strict=True)]


def _split(line: Any) -> list[Any]:
    """A line of several statements as several lines."""
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) < 2:
        return [line]
    lines = [_alone(one) for one in line.body]
    lines[0] = lines[0].with_changes(leading_lines=line.leading_lines)
    lines[-1] = lines[-1].with_changes(trailing_whitespace=line.trailing_whitespace)
    return lines


def _alone(small: Any) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)])


def in_place_of(old: Any, lines: Sequence[Any]) -> list[Any]:
    """Lines that take the place of a statement, with the comments at its first line and below."""
    ends = [getattr(getattr(old, "body", None), "header", None)]
    ends.append(getattr(old, "trailing_whitespace", None))
    comments = [one.comment for one in ends if one is not None and one.comment is not None]
    above = [*old.leading_lines, *(cst.EmptyLine(comment=one) for one in comments)]
    first = lines[0]
    rest = [one for one in first.leading_lines if one.comment is not None]
    return [first.with_changes(leading_lines=[*above, *rest]), *lines[1:]]


def spaced(lines: Iterable[Any]) -> list[Any]:
    """Lines of a function: at most one blank line above each, none above the first."""
    found = []
    for number, line in enumerate(lines):
        leading = list(line.leading_lines)
        while leading and leading[0].comment is None:
            leading.pop(0)
        blank = number > 0 and len(leading) < len(line.leading_lines)
        empty = [cst.EmptyLine(indent=False)] * blank
        found.append(line.with_changes(leading_lines=[*empty, *leading]))
    return found or [cst.SimpleStatementLine([cst.Pass()])]


def own_nodes(nodes: Iterable[ast.AST]) -> Iterable[ast.AST]:
    """The nodes below some nodes, without those in scopes of their own."""
    stack = list(reversed(list(nodes)))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _SCOPES):
            stack += reversed(list(ast.iter_child_nodes(node)))


def bound_names(statements: Iterable[ast.AST]) -> set[str]:
    """The names that some statements bind in their scope."""
    statements = list(statements)
    found = {name for node in own_nodes(statements) for name in _binds(node)}
    walrus = (n for one in statements for n in ast.walk(one) if isinstance(n, ast.NamedExpr))
    return found | {one.target.id for one in walrus}


def _binds(node: ast.AST) -> list[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            return [name]
        case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            return [name]
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return [alias.asname or alias.name.partition(".")[0] for alias in aliases]
    return []


def read_names(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that are read anywhere in some nodes."""
    every = (one for node in nodes for one in ast.walk(node))
    return {
        one.id for one in every if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Store)
    }
