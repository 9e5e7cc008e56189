"""Edits of expressions: each is made on its own text, and put back where it stood.

An expression's text is parsed by itself, so that a file is not read to change a name in it. Inner
expressions are edited before outer ones, which come with what became of the inner ones.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst
from libcst._nodes.internal import CodegenState

from pedl2det.edit.making import Becomes, Edit
from pedl2det.facts.source import Source
from pedl2det.findings import NoPlace

UNREADABLE = "libcst, which makes the edits, cannot read this line: write it otherwise"

EXPRESSIONS: dict[type[ast.expr], type[cst.BaseExpression]] = {
    ast.Call: cst.Call,
    ast.Attribute: cst.Attribute,
    ast.Name: cst.Name,
    ast.Subscript: cst.Subscript,
    ast.Tuple: cst.Tuple,
}


@dataclass(frozen=True)
class Splice:
    """A piece of a text and what stands there instead.

    Attributes:
        start: where it begins.
        end: where it ends.
        text: the new piece.
    """

    start: int
    end: int
    text: str


def spliced(text: str, splices: Sequence[Splice], start: int, end: int) -> str:
    """A part of a text with those splices that lie within it, which are in order."""
    pieces = []
    for splice in splices:
        if start <= splice.start and splice.end <= end:
            pieces += [text[start : splice.start], splice.text]
            start = splice.end
    return "".join([*pieces, text[start:end]])


def expression_splices(source: Source, edits: Mapping[ast.expr, Sequence[Edit]]) -> list[Splice]:
    """What edits make of the outermost expressions that have some, in order.

    Raises:
        NoPlace: an expression cannot be read by itself.
    """
    spans = {node: tuple(map(source.offset, source.span(node))) for node in edits}
    done: list[Splice] = []  # the last one stands first in the text
    for node in sorted(edits, key=lambda node: (spans[node][0], -spans[node][1]), reverse=True):
        start, end = spans[node]
        within = []
        while done and done[-1].start < end:
            within.append(done.pop())
        text = spliced(source.text, within, start, end)
        done.append(Splice(start, end, _edited(source, node, text, edits[node])))
    return done[::-1]


def _edited(source: Source, node: ast.expr, text: str, edits: Sequence[Edit]) -> str:
    """The text of an expression after its edits."""
    if node not in source.names.parents:
        raise NoPlace(node.lineno)
    *_, last = edits
    if isinstance(last, Becomes) and _is_at_its_place(source, node):
        return last.code  # and libcst need not read what goes
    is_one_line = "\n" not in text and "\r" not in text
    indent = "" if is_one_line else source.indent(source.names.statement_of(node).lineno)
    try:
        found = cst.parse_expression(text) if is_one_line else _parsed(text, indent, source.newline)
    except cst.ParserSyntaxError:
        raise NoPlace(node.lineno, UNREADABLE) from None
    if type(found) is not EXPRESSIONS[type(node)] or not _is_at_its_place(source, node):
        raise NoPlace(node.lineno)
    for edit in edits:
        found = edit(found)
    state = CodegenState("", source.newline, indent_tokens=[indent])
    found._codegen(state)
    return "".join(state.tokens)


def _parsed(text: str, indent: str, newline: str) -> Any:
    """The libcst expression of a text of several lines, as it is read where it is indented."""
    above = f"if 1:{newline}" if indent else ""
    module: Any = cst.parse_module(f"{above}{indent}({text}){newline}")
    line = module.body[0].body.body[0] if indent else module.body[0]
    value = line.body[0].value
    return value.with_changes(lpar=value.lpar[1:], rpar=value.rpar[:-1])


def _is_at_its_place(source: Source, node: ast.expr) -> bool:
    """Whether a node is where it says: before Python 3.12, one in an f-string may be elsewhere."""
    above: ast.AST = node
    while not isinstance(above, ast.stmt | ast.JoinedStr):
        above = source.names.parents[above]
    if isinstance(above, ast.stmt):
        return True
    try:
        there = ast.parse(f"({source.segment(node)})", mode="eval").body
    except SyntaxError:
        return False
    return ast.unparse(there) == ast.unparse(node)
