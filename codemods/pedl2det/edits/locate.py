"""Find the libcst node of an ``ast`` node: facts come from ``ast``, libcst makes the edits.

Both trees of a file are walked side by side, and only where a node is requested: computing the
positions of libcst nodes would take longer than all edits.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Iterable, Iterator
from typing import Any

import libcst as cst

from pedl2det.analysis.source import Source, first_line

#: Nodes that both trees have. Others, such as ``Arg`` and ``ast.keyword``, are parts of these.
_SHARED = (cst.BaseSmallStatement, cst.BaseCompoundStatement, cst.BaseExpression, cst.Param)
_AST_SHARED = ast.expr | ast.stmt | ast.arg

#: Nodes that hold neither expressions nor statements.
_EMPTY = (
    *(cst.BaseParenthesizableWhitespace, cst.TrailingWhitespace, cst.EmptyLine, cst.Comma),
    *(cst.Dot, cst.AssignEqual, cst.LeftParen, cst.RightParen, cst.BaseBinaryOp, cst.BaseCompOp),
)

#: The attributes of libcst nodes that are not nodes in ``ast``, or not below the same node.
_OTHERS: dict[type[cst.CSTNode], tuple[str, ...]] = {
    **dict.fromkeys((cst.FunctionDef, cst.ClassDef, cst.MatchAs, cst.MatchStar), ("name",)),
    **dict.fromkeys((cst.ExceptHandler, cst.ExceptStarHandler), ("name",)),
    **dict.fromkeys((cst.Import, cst.ImportFrom, cst.Global, cst.Nonlocal), ("module", "names")),
    cst.Param: ("name", "default"),
    cst.Attribute: ("attr",),
    cst.Arg: ("keyword",),
    cst.MatchKeywordElement: ("key",),
    cst.MatchMapping: ("rest",),
    cst.MatchSingleton: ("value",),
}

#: The attributes that come first in the text, where a type has them in another order.
_FIRST: dict[type[cst.CSTNode], tuple[str, ...]] = {
    cst.FunctionDef: ("decorators", "type_parameters", "params", "returns"),
    cst.ClassDef: ("decorators", "type_parameters", "bases", "keywords"),
    cst.Parameters: ("posonly_params",),
    cst.IfExp: ("body", "test"),
    cst.MatchCase: ("pattern", "guard"),
    **dict.fromkeys((cst.ExceptHandler, cst.ExceptStarHandler), ("type",)),
}


class NotLocated(Exception):  # noqa: N818 - describes the node, not the failure
    """An ``ast`` node without a libcst node; an edit of it is a defect of pedl2det."""


def parts(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Return the children of a node that may hold expressions or statements, as in the text."""
    for name in _attributes(type(node)):
        value: Any = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            yield value
        elif isinstance(value, list | tuple):
            yield from value


@functools.cache
def _attributes(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    """The attributes of a type that hold its :func:`parts`, in the order of the text."""
    first = _FIRST.get(kind, ())
    names = (field.name for field in dataclasses.fields(kind))
    return tuple(
        dict.fromkeys(name for name in (*first, *names) if name not in _OTHERS.get(kind, ()))
    )


class Locator:
    """The libcst nodes of one file by the ``ast`` nodes that they correspond to."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.module = cst.parse_module(source.text)
        self._known: dict[ast.AST, cst.CSTNode] = {source.tree: self.module}
        self._waiting: set[ast.AST] = {source.tree}  # nodes whose children are not known yet
        self._parents: dict[cst.CSTNode, cst.CSTNode] = {}
        self._statements: dict[cst.CSTNode, ast.stmt] = {}

    def node(self, node: ast.expr | ast.stmt | ast.arg) -> cst.CSTNode:
        """The libcst expression, small or compound statement, or parameter of a node."""
        located = self._find(node)
        kind = cst.BaseExpression if isinstance(node, ast.expr) else cst.CSTNode
        if located is None or not isinstance(located, kind):
            raise NotLocated(f"{self.source.path}:{node.lineno}: {ast.unparse(node)}")
        return located

    def argument(self, node: ast.expr | ast.keyword) -> cst.Arg:
        """The ``Arg`` of a call for an expression or a keyword."""
        value = node.value if isinstance(node, ast.keyword | ast.Starred) else node
        parent = self._parents.get(self.node(value))
        if not isinstance(parent, cst.Arg):
            raise NotLocated(f"{self.source.path}:{value.lineno}: argument {ast.unparse(value)}")
        return parent

    def part(self, node: ast.expr | ast.keyword | ast.arg) -> cst.CSTNode:
        """The libcst parameter, argument, decorator or list element for a node."""
        if isinstance(node, ast.arg):
            return self.node(node)
        if isinstance(node, ast.Starred):  # which libcst has no node for
            return self.argument(node)
        parent = self._parents.get(self.node(node)) if isinstance(node, ast.expr) else None
        is_part = isinstance(parent, cst.Decorator | cst.Annotation | cst.Element)
        return parent if parent is not None and is_part else self.argument(node)

    def column(self, statement: Any) -> int:
        """The column in which a located statement, or a line that begins with one, starts."""
        return self.source.start(self._node(statement))[1]

    def text(self, statement: Any) -> str:
        """The lines of a statement or line, decorators included."""
        first = self._node(statement)
        last = self._statements[statement.body[-1]] if statement not in self._statements else first
        return "\n".join(self.source.lines[first_line(first) - 1 : last.end_lineno])

    def _node(self, statement: Any) -> ast.stmt:
        while statement not in self._statements:
            statement = statement.body[0]
        return self._statements[statement]

    def with_ancestors(self, nodes: Iterable[cst.CSTNode]) -> set[cst.CSTNode]:
        """Return some located nodes and all nodes around them."""
        result: set[cst.CSTNode] = set()
        for node in nodes:
            ancestor: cst.CSTNode | None = node
            while ancestor is not None and ancestor not in result:
                result.add(ancestor)
                ancestor = self._parents.get(ancestor)
        return result

    def _find(self, node: ast.AST) -> cst.CSTNode | None:
        parents = self.source.names.parents
        around = [node]
        while around[-1] not in self._known and around[-1] in parents:
            around.append(parents[around[-1]])
        for outer in reversed(around):
            if outer in self._waiting:
                self._waiting.remove(outer)
                self._pair(outer, self._known[outer])
        return self._known.get(node)

    def _pair(self, node: ast.AST, there: cst.CSTNode) -> None:
        """Locate the children of a located node."""
        others = list(self._below(there))
        nodes = _below(node, _is_bare_tuple(there))
        if len(nodes) != len(others):
            line = getattr(node, "lineno", 1)
            raise NotLocated(f"{self.source.path}:{line}: the parts of {type(node).__name__}")
        self._known.update(zip(nodes, others, strict=True))
        self._waiting.update(nodes)
        pairs = zip(others, nodes, strict=True)
        self._statements.update(
            (other, statement) for other, statement in pairs if isinstance(statement, ast.stmt)
        )

    def _below(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nearest shared nodes below a libcst node."""
        for child in parts(node):
            if is_of(type(child), _EMPTY):
                continue
            self._parents[child] = node
            yield from (child,) if _is_shared(child, node) else self._below(child)
            if isinstance(child, cst.Param) and child.default is not None:
                self._parents[child.default] = child
                yield child.default


def _is_shared(node: cst.CSTNode, parent: cst.CSTNode) -> bool:
    """Whether ``ast`` has a node for a libcst node; ``left`` and others continue their parent."""
    match parent:
        case cst.BooleanOperation(left=cst.BooleanOperation(lpar=()) as left) if left is node:
            return type(left.operator) is not type(parent.operator)
        case cst.ConcatenatedString() | cst.FormattedString():
            return False
        case cst.Del(target=cst.Tuple(lpar=())):
            return False
    return is_of(type(node), _SHARED) or getattr(node, "star", "") == "*"


#: Whether a type is a subclass of others, cached: libcst classes are slow to answer.
is_of = functools.cache(issubclass)


def _is_bare_tuple(node: cst.CSTNode) -> bool:
    """Whether a subscript has a tuple without parentheses, which libcst has no node for."""
    return isinstance(node, cst.Subscript) and (
        len(node.slice) > 1 or isinstance(node.slice[0].comma, cst.Comma)
    )


def _below(node: ast.AST, bare_tuple: bool = False) -> list[ast.AST]:
    """The nearest nodes below an ``ast`` node that libcst has too, in the order of the text."""
    if isinstance(node, ast.JoinedStr):  # Python 3.11 has wrong positions for what is in it
        return [
            part
            for value in node.values
            if isinstance(value, ast.FormattedValue)
            for part in (value.value, *(_below(value.format_spec) if value.format_spec else ()))
        ]
    nodes: list[Any] = []
    for child in ast.iter_child_nodes(node):
        is_part = isinstance(child, ast.Slice) or (bare_tuple and child is node.slice)  # type: ignore[attr-defined]
        if isinstance(child, _AST_SHARED) and not is_part:
            nodes.append(child)
        else:
            nodes += _below(child)
    return sorted(nodes, key=lambda part: (part.lineno, part.col_offset))
