"""Edits of one file, gathered by place and made in one pass over its libcst tree.

A rule names a node of the ``ast`` tree and gives a function from the libcst node that stands
there to what shall stand there. Inner nodes are edited before outer ones; several edits of one
node are made in the order in which they were asked for.
"""

from __future__ import annotations

import ast
import bisect
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import libcst as cst
from libcst.metadata import PositionProvider
from libcst.metadata.position_provider import PositionProvidingCodegenState

from pedl2det.source import Place, Source, Span

Edit = Callable[[Any], Any]
Positions = Mapping[cst.CSTNode, Any]  # a node's CodeRange

_EXPRESSIONS: dict[type[ast.expr], type[cst.CSTNode]] = {
    ast.Call: cst.Call,
    ast.Attribute: cst.Attribute,
    ast.Name: cst.Name,
    ast.Subscript: cst.Subscript,
    ast.Tuple: cst.Tuple,
}
_DEFINITIONS: dict[type[ast.stmt], type[cst.CSTNode]] = {
    ast.FunctionDef: cst.FunctionDef,
    ast.AsyncFunctionDef: cst.FunctionDef,
    ast.ClassDef: cst.ClassDef,
}
_COMPOUND: dict[type[ast.stmt], type[cst.CSTNode]] = {
    **_DEFINITIONS,
    ast.For: cst.For,
    ast.If: cst.If,
    ast.Match: cst.Match,
    ast.Try: cst.Try,
    ast.TryStar: cst.TryStar,
    ast.While: cst.While,
    ast.With: cst.With,
}


class NoPlace(Exception):  # noqa: N818 - what is missing
    """A statement shares its line with others, so that it cannot be edited alone.

    Attributes:
        line: the line.
    """

    def __init__(
        self, line: int, message: str = "several statements stand on this line: give each its own"
    ) -> None:
        super().__init__(message)
        self.line = line


@dataclass
class FileEdits:
    """What is to be changed in one file.

    Attributes:
        source: the file.
    """

    source: Source
    _expressions: dict[tuple[type[cst.CSTNode], Span], list[Edit]] = field(default_factory=dict)
    _statements: dict[tuple[type[cst.CSTNode], Place], list[Edit]] = field(default_factory=dict)
    _moves: dict[tuple[type[cst.CSTNode], Place], list[Edit]] = field(default_factory=dict)

    def expression(self, node: ast.expr, edit: Edit) -> None:
        """Edit a call, attribute, name, subscript or tuple."""
        key = (_EXPRESSIONS[type(node)], self.source.span(node))
        self._expressions.setdefault(key, []).append(edit)

    def line(self, node: ast.stmt, edit: Edit) -> None:
        """Edit a simple statement: a ``SimpleStatementLine`` comes, one or several may go."""
        key = (cst.SimpleStatementLine, self.source.start(node))
        self._statements.setdefault(key, []).append(edit)

    def definition(self, node: ast.FunctionDef | ast.ClassDef, edit: Edit) -> None:
        """Edit a function or class."""
        key = (_DEFINITIONS[type(node)], self.source.start(node))
        self._statements.setdefault(key, []).append(edit)

    def move(self, node: ast.stmt, edit: Edit) -> None:
        """Take a statement of any kind away, after all other edits of it; it comes edited."""
        key = (_COMPOUND.get(type(node), cst.SimpleStatementLine), self.source.start(node))
        self._moves.setdefault(key, []).append(edit)

    def module(self, edit: Edit) -> None:
        """Edit the module."""
        self._statements.setdefault((cst.Module, (0, 0)), []).append(edit)

    @property
    def size(self) -> int:
        """How many edits there are."""
        return sum(map(len, (*self._expressions.values(), *self._statements.values())))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to change."""
        return not (self._expressions or self._statements or self._moves)

    def apply(self) -> str:
        """The new text.

        Raises:
            NoPlace: an edit's place is not a node of its own; no text is better than half of one.
        """
        module, positions = self._parsed()
        statements = {
            key: [*self._statements.get(key, []), *self._moves.get(key, [])]
            for key in (*self._statements, *self._moves)
        }
        applying = _Applying(positions, dict(self._expressions), statements)
        result: Any = module.visit(applying)
        of_module = applying.statements.pop((cst.Module, (0, 0)), [])
        for _, span in applying.expressions:
            raise NoPlace(span[0][0])
        for _, place in applying.statements:
            raise NoPlace(place[0])
        for edit in of_module:
            result = edit(result)
        code: str = result.code
        return code

    def _parsed(self) -> tuple[cst.Module, Positions]:
        """The libcst tree, if it holds every byte: comments indented oddly may get lost."""
        try:
            module = cst.parse_module(self.source.text)
        except cst.ParserSyntaxError as error:
            message = "libcst, which makes the edits, cannot read this line: write it otherwise"
            raise NoPlace(error.raw_line, message) from None
        positions, code = _Layout().of(module)
        if code != self.source.text:
            both = zip(code.splitlines(), self.source.text.splitlines(), strict=False)
            same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], both))
            message = "the layout cannot be kept from here on: indent these lines like the code"
            raise NoPlace(same + 1, message)
        return module, positions


class _Applying(cst.CSTTransformer):
    def __init__(
        self,
        positions: Any,
        expressions: dict[tuple[type[cst.CSTNode], Span], list[Edit]],
        statements: dict[tuple[type[cst.CSTNode], Place], list[Edit]],
    ) -> None:
        super().__init__()
        self._positions = positions
        self.expressions = expressions
        self.statements = statements
        lines = {span[0][0] for _, span in expressions} | {place[0] for _, place in statements}
        self._lines = sorted(lines)

    def on_visit(self, node: Any) -> bool:
        """Whether anything is edited in a node; most of a file's statements stay."""
        if type(node) not in _PRUNED or getattr(node, "decorators", None):  # they stand above it
            return True
        at = self._positions[node]
        index = bisect.bisect_left(self._lines, at.start.line)
        return index < len(self._lines) and self._lines[index] <= at.end.line

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        kind = type(original_node)
        if kind in _EXPRESSION_KINDS:
            span = span_of(self._positions, original_node)
            edits = self.expressions.pop((kind, span), [])
        elif kind in _STATEMENT_KINDS:
            at = self._positions[original_node]
            edits = self.statements.pop((kind, (at.start.line, at.start.column)), [])
            if edits and kind is cst.SimpleStatementLine and len(original_node.body) > 1:
                raise NoPlace(at.start.line)
        else:
            return updated_node
        for edit in edits:
            updated_node = edit(updated_node)
        if edits and _lost_parentheses(original_node, updated_node):
            updated_node = updated_node.with_changes(
                lpar=original_node.lpar, rpar=original_node.rpar
            )
        return updated_node


class _Layout(PositionProvider):
    """Positions and text of a fresh tree at once; a ``MetadataWrapper`` walks it once more."""

    def of(self, module: cst.Module) -> tuple[Positions, str]:
        state = PositionProvidingCodegenState(
            default_indent=module.default_indent,
            default_newline=module.default_newline,
            provider=self,
        )
        module._codegen(state)
        return self._computed, "".join(state.tokens)


def span_of(positions: Any, node: Any) -> Span:
    """Where ``ast`` has an expression begin and end: a tuple with its parentheses."""
    first = last = node
    if isinstance(node, cst.Tuple) and node.lpar:
        first, last = node.lpar[-1], node.rpar[0]
    start, end = positions[first].start, positions[last].end
    return (start.line, start.column), (end.line, end.column)


def _lost_parentheses(original: Any, updated: Any) -> bool:
    """Whether an expression stood in parentheses, as ``return(x)`` needs it, and lost them."""
    return (
        isinstance(original, cst.BaseExpression)
        and not isinstance(original, cst.Tuple)  # they were its own
        and isinstance(updated, cst.BaseExpression)
        and bool(original.lpar)
        and not updated.lpar
    )


_EXPRESSION_KINDS = set(_EXPRESSIONS.values())
_PRUNED = {cst.SimpleStatementLine, cst.FunctionDef, cst.ClassDef}
_STATEMENT_KINDS = {cst.SimpleStatementLine, *_COMPOUND.values()}


# What edits are made of.


def expression(code: str) -> Any:
    """The libcst expression that a text means."""
    return cst.parse_expression(code)


def becomes(code: str) -> Edit:
    """Put another expression in a place."""
    return lambda _: expression(code)


def method_of(context: str, method: str, argument: Any) -> Any:
    """A call of one of the context's methods with one argument."""
    plain = cst.Arg(argument)
    return cst.Call(expression(f"{context}.{method}"), [plain])


def statements(code: str) -> list[Any]:
    """The libcst statements that a text means."""
    return list(cst.parse_module(code).body)


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
