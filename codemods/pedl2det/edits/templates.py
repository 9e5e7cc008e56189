"""Templates of code: text with holes, turned into libcst nodes."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

import libcst as cst
from libcst.helpers import parse_template_expression, parse_template_module

_HOLE = re.compile(r"\{(\w+)\}")
#: Expressions that bind as tightly as a call.
_TIGHT = (
    *(cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.SimpleString, cst.FormattedString),
    *(cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp, cst.SetComp),
)


def expression(code: str, holes: Mapping[str, Any], config: cst.PartialParserConfig) -> Any:
    """The expression that a template means."""
    used = _used(code, holes)
    tight = _operands(f"({_named(code, used)})", used)
    return parse_template_expression(
        code, config=config, **{name: _fit(used[name], name in tight) for name in used}
    )


def statements(
    code: str, holes: Mapping[str, Any], config: cst.PartialParserConfig
) -> Sequence[Any]:
    """The statements that a template means."""
    used = _used(code, holes)
    tight = _operands(_named(code, used), used)
    fitted = {name: _fit(used[name], name in tight) for name in used}
    return parse_template_module(code.rstrip("\n") + "\n", config=config, **fitted).body


def _used(code: str, holes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: holes[name] for name in _HOLE.findall(code) if name in holes}


def _named(code: str, holes: Mapping[str, Any]) -> str:
    return _HOLE.sub(lambda found: f"_{found[1]}_hole" if found[1] in holes else found[0], code)


def _operands(code: str, holes: Mapping[str, Any]) -> set[str]:
    """The holes whose place needs an expression that binds tightly, such as ``{x}.values``."""
    names = {f"_{name}_hole": name for name in holes}
    found = set()
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Attribute(value=ast.Name(id=name)) | ast.Subscript(value=ast.Name(id=name)):
                found.add(name)
            case ast.Call(func=ast.Name(id=name)):
                found.add(name)
            case ast.BinOp() | ast.UnaryOp() | ast.BoolOp() | ast.Compare() | ast.Starred():
                found |= {one.id for one in ast.iter_child_nodes(node) if isinstance(one, ast.Name)}
            case ast.keyword(arg=None, value=ast.Name(id=name)):
                found.add(name)
    return {names[one] for one in found if one in names}


def _fit(node: Any, tight: bool) -> Any:
    """The code of a hole, in parentheses where it would otherwise bind to its neighbours."""
    if isinstance(node, str):
        return cst.parse_expression(node)
    if not isinstance(node, cst.BaseExpression):
        return node
    if isinstance(node, cst.Tuple | cst.GeneratorExp | cst.Yield) and not node.lpar:
        tight = True
    elif isinstance(node, _TIGHT) or node.lpar or not tight:
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]) if tight else node
