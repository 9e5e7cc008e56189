"""Write what a script runs as statements of its module: below the main guard, and in ``main()``."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import libcst as cst

from pedl2det.engine.lowering.command_line import is_main_guard
from pedl2det.engine.lowering.fits import Fits, called_by
from pedl2det.engine.lowering.script import Script
from pedl2det.engine.lowering.statements import (
    Line,
    bound_names,
    in_place_of,
    lines_of,
    own_nodes,
    paired,
)

_HIDING = (ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal)


def without_main_guard(script: Script) -> Script:
    """Put the code below the guard in the guard's place; a script runs as ``__main__``."""
    module, lines = lines_of(script.source)
    body: list[Any] = []
    footer: list[Any] = []
    for line in lines:
        if isinstance(line.node, ast.If) and is_main_guard(line.node.test):
            inner = paired(line.node.body, line.code.body)
            body += in_place_of(line.code, [one.code for one in inner])
            footer = [one for one in getattr(line.code.body, "footer", ()) if one.comment]
        else:
            body.append(line.code)
            footer = []
    return script.with_body(module, body, footer=[*footer, *module.footer])


def opened(script: Script) -> Script:
    """Write functions that train in the place of the only statement that calls them.

    Such as ``main()``. A function whose statements would mean something else there stays.
    """
    while (made := _opened(script)) is not None:
        script = made
    return script


def _opened(script: Script) -> Script | None:
    fits = Fits(script.modules())
    module, lines = lines_of(script.source)
    _, training = fits.trainings(script.source)
    for line in lines:
        call = called_by(script.source, line.node)
        function = next(iter(fits.flow.called(call)), None) if call is not None else None
        home = next((one for one in lines if one.node is function), None)
        if call is None or home is None or function not in training:
            continue
        inner = _body(script, fits, line, call, home)
        if inner:
            body = [one.code for one in lines if one is not home]
            at = next(number for number, one in enumerate(body) if one is line.code)
            body[at : at + 1] = in_place_of(line.code, inner)
            docstring = script.docstring or _docstring(script, function)
            return replace(script.with_body(module, body), docstring=docstring)
    return None


def _body(script: Script, fits: Fits, line: Line, call: ast.Call, home: Line) -> list[Any]:
    """The statements of a function in the place of a call; none if they cannot stand there."""
    function = home.node
    if not isinstance(function, ast.FunctionDef) or len(fits.flow.calls(function)) != 1:
        return []
    filled = _arguments(call, function)
    statements = paired(function.body, home.code.body)
    if _docstring(script, function):
        statements = statements[1:]
    end = statements[-1].node if statements else None
    if filled is None or function.decorator_list or fits.flow.escapes(function):
        return []
    if any(isinstance(n, _HIDING) and n is not end for n in own_nodes(function.body)):
        return []
    names = bound_names(function.body) | {name for name, arg in filled if _name(arg) != name}
    if any(script.source.names.module_bindings(one) for one in names):
        return []
    assigned = [f"{name} = {script.source.segment(a)}" for name, a in filled if _name(a) != name]
    found = [cst.parse_statement(one) for one in assigned]
    if isinstance(end, ast.Return):
        last = statements.pop().code
        found += [one.code for one in statements]
        result = _result(line, last.body[0].value)
        return [
            *found,
            *([result.with_changes(leading_lines=last.leading_lines)] if result else []),
        ]
    if isinstance(line.node, ast.Assign):
        return []
    return [*found, *(one.code for one in statements)]


def _docstring(script: Script, function: ast.AST) -> str:
    """The docstring of a function, as it is written."""
    match function:
        case ast.FunctionDef(body=[ast.Expr(value=ast.Constant(value=str())) as first, *_]):
            return script.source.segment(first)
    return ""


def _result(line: Line, value: Any) -> Any:
    """What is done with the returned value; None for nothing."""
    if isinstance(line.node, ast.Assign):
        small = line.code.body[0].with_changes(value=value or cst.Name("None"))
    elif isinstance(value, cst.Call | cst.Await):
        small = cst.Expr(value)
    else:
        return None
    return cst.SimpleStatementLine([small])


def _arguments(call: ast.Call, function: ast.FunctionDef) -> list[tuple[str, ast.expr]] | None:
    """What fills each parameter; None if that is not plain to see."""
    given = function.args
    others = [*given.posonlyargs, *given.kwonlyargs, given.vararg, given.kwarg, *call.keywords]
    if any(others) or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    names = [one.arg for one in given.args]
    values = [*call.args, *given.defaults[len(given.defaults) - len(names) + len(call.args) :]]
    if len(values) != len(names) or any(_computes(one) for one in values[len(call.args) :]):
        return None
    return list(zip(names, values, strict=True))


def _computes(default: ast.expr) -> bool:
    return not isinstance(default, ast.Constant)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
