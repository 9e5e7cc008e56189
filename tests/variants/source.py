"""One Python file as text and tree, and edits of its text by span.

Transformations rely on one statement a line and indentation by four spaces; those that change the
layout run last.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple, TypeVar

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
ScopeNode = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
N = TypeVar("N", bound=ast.AST)


class Edit(NamedTuple):
    """Replace the bytes from `start` to `end` by a text."""

    start: int
    end: int
    text: str


class Source:
    """A parsed file.

    Args:
        text: its code.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self._data = text.encode()
        self._starts = [0]
        for line in self._data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The parent of every node."""
        return {
            child: parent
            for parent in ast.walk(self.tree)
            for child in ast.iter_child_nodes(parent)
        }

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes around a node, from the nearest to the module."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def walk(self, kind: type[N]) -> list[N]:
        """Return the nodes of one type in the order of the text, but none within an f-string.

        Python 3.11 gives wrong positions for what is in an f-string.
        """
        found = [node for node in ast.walk(self.tree) if isinstance(node, kind)]
        found = [node for node in found if not self.in_f_string(node)]
        return sorted(found, key=lambda node: (node.lineno, node.col_offset))  # type: ignore[attr-defined]

    def in_f_string(self, node: ast.AST) -> bool:
        """Return whether a node stands within an f-string."""
        return any(isinstance(one, ast.JoinedStr) for one in self.ancestors(node))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the offsets in bytes where a node begins and ends."""
        assert isinstance(node, ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._starts[node.lineno - 1] + node.col_offset
        return start, self._starts[node.end_lineno - 1] + node.end_col_offset

    def segment(self, node: ast.AST) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self._data[start:end].decode()

    def expression(self, node: ast.expr) -> str:
        """Return the text of an expression so that it can stand anywhere."""
        text = self.segment(node)
        try:
            ast.parse(f"x = {text}")
        except SyntaxError:
            return f"({text})"
        if isinstance(node, ast.Tuple) and not text.startswith("("):
            return f"({text})"
        return text

    def lines_span(self, first: ast.stmt, last: ast.stmt | None = None) -> tuple[int, int]:
        """Return the offsets of the whole lines of some statements, with decorators."""
        decorators = getattr(first, "decorator_list", [])
        start_line = min([first.lineno, *(node.lineno for node in decorators)])
        end_line = (last or first).end_lineno
        assert end_line is not None
        return self._starts[start_line - 1], self._starts[end_line]

    def lines(self, first: ast.stmt, last: ast.stmt | None = None) -> str:
        """Return the whole lines of some statements, without their indentation."""
        start, end = self.lines_span(first, last)
        text = textwrap.dedent(self._data[start:end].decode())
        return text if text.endswith("\n") else f"{text}\n"

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """Return the statement that a node is in, or the node if it is one."""
        if isinstance(node, ast.stmt):
            return node
        return next(one for one in self.ancestors(node) if isinstance(one, ast.stmt))

    def body_of(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return the list of statements that a statement is in."""
        parent = self.parents[statement]
        for name in ("body", "orelse", "finalbody"):
            body = getattr(parent, name, None)
            if isinstance(body, list) and statement in body:
                return body
        return [statement]

    def function_of(self, node: ast.AST) -> FunctionNode | None:
        """Return the innermost function around a node, lambdas left aside."""
        return next((one for one in self.ancestors(node) if isinstance(one, FunctionNode)), None)

    def class_of(self, function: ast.AST) -> ast.ClassDef | None:
        """Return the class that a function is a method of."""
        parent = self.parents.get(function)
        return parent if isinstance(parent, ast.ClassDef) else None

    def top_level(self, node: ast.AST) -> ast.stmt:
        """Return the statement of the module that a node is in."""
        for one in [node, *self.ancestors(node)]:
            if isinstance(one, ast.stmt) and self.parents[one] is self.tree:
                return one
        raise AssertionError("a node of another file")

    def indent(self, statement: ast.stmt) -> str:
        """Return the indentation of a statement."""
        return " " * statement.col_offset

    def functions(self) -> list[ast.FunctionDef]:
        """Return functions and methods, but none within another function."""
        return [node for node in self.walk(ast.FunctionDef) if self.function_of(node) is None]

    def replace(self, node: ast.AST, text: str) -> Edit:
        """Return the edit that replaces a node."""
        return Edit(*self.span(node), text)

    def before(self, statement: ast.stmt, text: str) -> Edit:
        """Return the edit that inserts lines before a statement, indented as it is."""
        start, _ = self.lines_span(statement)
        return Edit(start, start, textwrap.indent(text, self.indent(statement)))

    def after(self, statement: ast.stmt, text: str) -> Edit:
        """Return the edit that inserts lines after a statement, indented as it is."""
        _, end = self.lines_span(statement)
        return Edit(end, end, textwrap.indent(text, self.indent(statement)))

    def replace_lines(self, first: ast.stmt, last: ast.stmt, text: str) -> Edit:
        """Return the edit that replaces whole statements, indented as the first is."""
        return Edit(*self.lines_span(first, last), textwrap.indent(text, self.indent(first)))

    def edited(self, edits: Iterable[Edit]) -> str:
        """Return the text after some edits, which must not overlap."""
        data, behind = self._data, len(self._data) + 1
        for edit in sorted(edits, key=lambda edit: (edit.start, edit.end), reverse=True):
            assert edit.end <= behind, "two edits overlap"
            data = data[: edit.start] + edit.text.encode() + data[edit.end :]
            behind = edit.start
        return data.decode()


def is_docstring(statement: ast.stmt) -> bool:
    """Return whether a statement is nothing but a string."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def is_call_of(node: ast.AST, name: str) -> bool:
    """Return whether a node calls a function or method of this name."""
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    return (isinstance(function, ast.Attribute) and function.attr == name) or (
        isinstance(function, ast.Name) and function.id == name
    )
