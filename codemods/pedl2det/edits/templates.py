"""Templates of code: text with holes, turned into libcst nodes."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import libcst as cst

_HOLE = re.compile(r"\{(\w+)\}")
#: Expressions that bind as tightly as a call.
_TIGHT = (
    *(cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.SimpleString, cst.FormattedString),
    *(cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp, cst.SetComp),
)
#: Expressions, and parts of them, in which every operand must bind tightly.
_OPERATIONS = (
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp),
    *(ast.comprehension, ast.Starred, ast.Await),
)


def expression(code: str, holes: Mapping[str, Any], config: cst.PartialParserConfig) -> Any:
    """The expression that a template means."""
    text = _named(code, holes)
    return _filled(_expression(text, config.default_newline), code, holes, f"({text})")


def statements(
    code: str, holes: Mapping[str, Any], config: cst.PartialParserConfig
) -> Sequence[Any]:
    """The statements that a template means."""
    text = _named(code.rstrip("\n") + "\n", holes)
    tree = _module(text, config.default_newline, config.default_indent)
    module: cst.Module = _filled(tree, code, holes, text)
    return module.body


@functools.cache
def _expression(text: str, newline: Any) -> cst.BaseExpression:
    return cst.parse_expression(text, cst.PartialParserConfig(default_newline=newline))


@functools.cache
def _module(text: str, newline: Any, indent: Any) -> cst.Module:
    style = cst.PartialParserConfig(default_newline=newline, default_indent=indent)
    return cst.parse_module(text, style)


@functools.cache
def _tight(text: str) -> frozenset[str]:
    """The names in a text that must bind tightly."""
    nodes = (operand for node in ast.walk(ast.parse(text)) for operand in operands(node))
    return frozenset(operand.id for operand in nodes if isinstance(operand, ast.Name))


def _named(code: str, holes: Mapping[str, Any]) -> str:
    """A template with names for the holes."""
    return _HOLE.sub(lambda match: _name(match[1]) if match[1] in holes else match[0], code)


def _name(hole: str) -> str:
    return f"_{hole}_hole"


def _filled(tree: Any, code: str, holes: Mapping[str, Any], text: str) -> Any:
    """The tree of a template with the code of the holes in the places of their names."""
    used = {_name(hole): holes[hole] for hole in _HOLE.findall(code) if hole in holes}
    if not used:
        return tree
    tight = _tight(text)
    return tree.visit(_Filler({name: _fit(value, name in tight) for name, value in used.items()}))


class Transformer(cst.CSTTransformer):
    """Visits nodes alone: libcst looks for a method at each attribute otherwise, by its name."""

    def on_visit_attribute(self, *_: Any, **__: Any) -> None:
        """Do nothing."""

    on_leave_attribute = on_visit_attribute


class _Filler(Transformer):
    """Puts code in the places of names."""

    def __init__(self, code: Mapping[str, Any]) -> None:
        super().__init__()
        self._code = code

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> Any:
        """Replace a name."""
        return self._code.get(original_node.value, updated_node)


def operands(node: ast.AST | None) -> Iterator[ast.AST]:
    """The children of a node that must bind tightly or be in parentheses."""
    match node:
        case ast.Attribute(value=operand) | ast.Subscript(value=operand) | ast.Call(func=operand):
            yield operand
        case ast.keyword(arg=None, value=operand):
            yield operand
        case ast.Dict(keys=keys, values=values):
            yield from (value for key, value in zip(keys, values, strict=True) if key is None)
        case _ if isinstance(node, _OPERATIONS):
            yield from ast.iter_child_nodes(node)


def in_place(node: Any, parent: ast.AST | None, old: ast.expr) -> Any:
    """New code for the place of an expression, in parentheses where its neighbours ask for them."""
    is_number = isinstance(node, cst.Integer | cst.Float | cst.Imaginary)
    if is_number and not isinstance(parent, ast.Attribute):
        return node
    return _fit(node, any(operand is old for operand in operands(parent)))


def in_parentheses(node: Any, always: bool = False) -> Any:
    """Code that cannot stand beside others without parentheses, in parentheses."""
    if node.lpar or (not always and not isinstance(node, cst.GeneratorExp)):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _fit(node: Any, tight: bool) -> Any:
    """The code of a hole, in parentheses where it would otherwise bind to its neighbours."""
    if isinstance(node, str):
        return cst.parse_expression(node)
    is_open = isinstance(node, cst.Tuple | cst.GeneratorExp | cst.Yield)
    needs = is_open or (tight and not isinstance(node, _TIGHT))
    return in_parentheses(node, always=True) if needs else node
