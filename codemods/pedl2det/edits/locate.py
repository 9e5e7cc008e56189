"""Find the libcst node of an ``ast`` node: facts come from ``ast``, edits are made by libcst."""

from __future__ import annotations

import ast
import bisect
import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from pedl2det.analysis.source import Source

Span = tuple[int, int, int, int]
Key = tuple[Any, ...]

#: Simple statements share their first characters with an expression, so they have a table of
#: their own.
_SMALL = cst.BaseSmallStatement
_COMPOUND = cst.BaseCompoundStatement


class NotLocated(Exception):  # noqa: N818 - describes the node, not the failure
    """An ``ast`` node without a libcst node; the edit of it is a defect of ours."""


@functools.cache
def _has_place(kind: type[cst.CSTNode]) -> bool:
    """Whether nodes of a type can be found; most others are white space."""
    return issubclass(kind, _SMALL | _COMPOUND | cst.BaseExpression | cst.Arg | cst.Param)


class Locator:
    """The libcst nodes of one file by the ``ast`` nodes that they stand for.

    Args:
        source: the file.

    Attributes:
        source: the file.
        module: the libcst tree.
        positions: where each of its nodes stands.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        wrapper = MetadataWrapper(cst.parse_module(source.text), unsafe_skip_copy=True)
        self.module = wrapper.module
        self.positions = wrapper.resolve(PositionProvider)
        self._expressions: dict[Key, cst.CSTNode] = {}
        self._statements: dict[tuple[int, int], cst.CSTNode] = {}
        self._arguments: dict[cst.CSTNode, cst.Arg] = {}
        self._parameters: dict[tuple[int, int], cst.Param] = {}
        for node, place in self.positions.items():
            if _has_place(type(node)):
                self._file(node, place)

    def _file(self, node: cst.CSTNode, place: CodeRange) -> None:
        if isinstance(node, _SMALL | _COMPOUND):
            start = place.start.line, place.start.column
            known = self._statements.get(start)
            # `elif` is an If inside of an If's orelse; both have places of their own.
            if known is None or isinstance(known, cst.BaseSmallStatement):
                self._statements[start] = node
        elif isinstance(node, cst.BaseExpression):
            self._expressions[self._key_of(node)] = node
        elif isinstance(node, cst.Arg):
            self._arguments[node.value] = node
        elif isinstance(node, cst.Param):
            name = self.positions[node.name]
            self._parameters[name.start.line, name.start.column] = node

    def starts(self, nodes: Iterable[cst.CSTNode]) -> list[tuple[int, int]]:
        """Return where some nodes begin, in order."""
        places = (self.positions[node].start for node in nodes)
        return sorted({(place.line, place.column) for place in places})

    def holds_any(self, node: cst.CSTNode, starts: Sequence[tuple[int, int]]) -> bool:
        """Tell whether one of some places, in order, is inside of a node."""
        place = self.positions.get(node)
        if place is None or isinstance(node, cst.Param):  # its range leaves the default out
            return True
        begin = place.start.line, place.start.column
        if isinstance(node, cst.FunctionDef | cst.ClassDef) and node.decorators:
            first = self.positions[node.decorators[0]].start  # outside of the node's own range
            begin = first.line, first.column
        at = bisect.bisect_left(starts, begin)
        return at < len(starts) and starts[at] <= (place.end.line, place.end.column)

    def expression(self, node: ast.expr) -> cst.CSTNode:
        """The libcst expression of an expression."""
        found = self._expressions.get(self._ast_key(node))
        if found is not None:
            return found
        string = self._string_around(node)
        if string is not None:
            for one, other in self._inside_string(string):
                if one is node:
                    return other
        raise NotLocated(f"{self.source.path}:{node.lineno}: {ast.unparse(node)}")

    def statement(self, node: ast.stmt) -> cst.CSTNode:
        """The small or compound libcst statement of a statement."""
        found = self._statements.get(self.source.start(node))
        if found is None:
            raise NotLocated(f"{self.source.path}:{node.lineno}: {type(node).__name__}")
        return found

    def column(self, statement: cst.CSTNode) -> int:
        """The column in which a statement starts."""
        return self.positions[statement].start.column

    def argument(self, node: ast.expr | ast.keyword) -> cst.Arg:
        """The argument of a call that an expression or a keyword stands for."""
        value = node.value if isinstance(node, ast.keyword | ast.Starred) else node
        found = self._arguments.get(self.expression(value))
        if found is None:
            raise NotLocated(f"{self.source.path}:{value.lineno}: argument {ast.unparse(value)}")
        return found

    def parameter(self, node: ast.arg) -> cst.Param:
        """The parameter of a function."""
        found = self._parameters.get(self.source.start(node))
        if found is None:
            raise NotLocated(f"{self.source.path}:{node.lineno}: parameter {node.arg}")
        return found

    def _key_of(self, node: cst.CSTNode) -> Key:
        """The place of an expression; libcst leaves the parentheses of tuples out, ast does not."""
        if isinstance(node, cst.Tuple) and node.elements:
            return ("tuple", self._key_of(node.elements[0].value))
        if isinstance(node, cst.Tuple):
            start = self.positions[node.lpar[-1]].start
            return ("empty", start.line, start.column)
        if isinstance(node, cst.GeneratorExp):
            return ("generator", self._key_of(node.elt))
        return _span(self.positions[node])

    def _ast_key(self, node: ast.expr) -> Key:
        if isinstance(node, ast.Tuple) and node.elts:
            first = node.elts[0]
            # A starred element's value is what libcst keeps in its StarredElement.
            inner = first.value if isinstance(first, ast.Starred) else first
            return ("tuple", self._ast_key(inner))
        if isinstance(node, ast.GeneratorExp):
            return ("generator", self._ast_key(node.elt))
        (line, column), (end, end_column) = self.source.span(node)
        if isinstance(node, ast.Tuple):
            return ("empty", line, column)
        return (line, column, end, end_column)

    def _string_around(self, node: ast.AST) -> ast.JoinedStr | None:
        """The outermost f-string around an expression."""
        found = None
        parents = self.source.names.parents
        while node in parents:
            node = parents[node]
            if isinstance(node, ast.JoinedStr):
                found = node
        return found

    def _inside_string(self, string: ast.JoinedStr) -> Iterator[tuple[ast.AST, cst.CSTNode]]:
        """Pairs of nodes inside of an f-string, where Python 3.11 gives wrong places to ast."""
        top = self._expressions.get(self._ast_key(string))
        if top is None:
            return
        found = [one.expression for one in _formatted(top)]
        for value, expression in zip(_in_order(string), found, strict=False):
            text = self.module.code_for_node(expression)
            again = ast.parse(f"({text})", mode="eval").body
            base = self.positions[expression]
            own = {
                _span(self.positions[one]): one
                for one in _below(expression)
                if isinstance(one, cst.BaseExpression) and one in self.positions
            }
            for one, there in zip(ast.walk(value), ast.walk(again), strict=False):
                if isinstance(there, ast.expr):
                    span = _moved(there, base)
                    if span in own:
                        yield one, own[span]


def _in_order(string: ast.JoinedStr) -> list[ast.expr]:
    """The expressions of an f-string in the order of the text, nested format specs included."""
    found: list[ast.expr] = []

    def walk(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FormattedValue):
                found.append(child.value)
                if child.format_spec is not None:
                    walk(child.format_spec)
            elif isinstance(child, ast.JoinedStr):
                walk(child)

    walk(string)
    return found


def _formatted(node: cst.CSTNode) -> list[cst.FormattedStringExpression]:
    found: list[cst.FormattedStringExpression] = []
    for child in node.children:
        if isinstance(child, cst.FormattedStringExpression):
            found.append(child)
            for part in child.format_spec or ():
                found += [part] if isinstance(part, cst.FormattedStringExpression) else []
        else:
            found += _formatted(child)
    return found


def _below(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    for child in node.children:
        yield from _below(child)


def _moved(node: ast.expr, base: CodeRange) -> Span:
    """The span of a node of ``(text)``, where the text stands in the file."""

    def place(line: int, column: int) -> tuple[int, int]:
        if line == 1:
            return base.start.line, base.start.column + column - 1
        return base.start.line + line - 1, column

    end_line, end_column = node.end_lineno or 1, node.end_col_offset or 0
    return (*place(node.lineno, node.col_offset), *place(end_line, end_column))


def _span(place: CodeRange) -> Span:
    return (place.start.line, place.start.column, place.end.line, place.end.column)
