"""Functions in which the training happens are written where the script calls them.

After that, the script trains in its own statements, and its trial can keep what they compute.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import libcst as cst

from pedl2det.analysis.flow import Callable
from pedl2det.analysis.source import Source
from pedl2det.edits.locate import Locator
from pedl2det.engine.lowering.blocks import ancestors, lines_of, split
from pedl2det.engine.lowering.fits import Fits
from pedl2det.engine.lowering.imports import with_imports
from pedl2det.engine.lowering.inlined_body import Body, body_of, has_docstring
from pedl2det.engine.lowering.script import Script
from pedl2det.engine.lowering.walk import own_nodes, script_statements
from pedl2det.findings import Kind

_MOST = 30
_EXITS = ("sys.exit", "exit", "quit")
_LEFT_OUT = "`{decorator}` of {name} is left out: the code of {name} moves into the trial"


@dataclass(frozen=True)
class Place:
    """A call of a training function in the script's own statements.

    Attributes:
        call: the call.
        statement: the statement that the call is a part of.
        target: what the returned value is assigned to, as code; empty for nothing.
        is_whole: whether the call is all that the statement computes.
    """

    call: ast.Call
    statement: ast.stmt
    target: str
    is_whole: bool


def inlined(script: Script) -> Script:
    """Write every function in which a model is trained where the script calls it."""
    refused: set[tuple[int, str]] = set()
    for _ in range(_MOST):
        fits = Fits(script.modules())
        done = None
        for place, function in _places(fits, script.source):
            key = (script.text.old_line(place.call.lineno), function.name)
            if key in refused:
                continue
            done = _inline(script, fits, place, function)
            if done is not None:
                break
            refused.add(key)
        if done is None:
            return script
        script = done
    return script


def _places(fits: Fits, source: Source) -> Iterator[tuple[Place, ast.FunctionDef]]:
    training = fits.training_functions()
    for statement in script_statements(source.tree.body):
        for node in own_nodes(_head(statement)):
            if isinstance(node, ast.Call):
                functions = fits.called(node)
                found: Callable | None = functions[0] if len(functions) == 1 else None
                if found in training and isinstance(found, ast.FunctionDef):
                    place = _place(source, node, found, statement)
                    if place is not None:
                        yield place, found


def _head(statement: ast.stmt) -> list[ast.AST]:
    """The expressions of a statement that run once, where it stands."""
    match statement:
        case ast.If(test=test):
            return [test]
        case ast.With(items=items):
            return [one.context_expr for one in items]
        case ast.For(iter=iterated):
            return [iterated]
        case ast.While() | ast.Try() | ast.FunctionDef() | ast.ClassDef():
            return []
    return [statement]


def _place(
    source: Source, call: ast.Call, function: ast.FunctionDef, statement: ast.stmt
) -> Place | None:
    value: ast.expr | None = None
    target = ""
    match statement:
        case ast.Expr(value=value):
            pass
        case ast.Assign(targets=[one], value=value):
            target = source.segment(one)
        case ast.AnnAssign(target=ast.Name(id=target), value=value):
            pass
        case ast.Raise(exc=ast.Call(func=ast.Name(id="SystemExit"), args=[value])):
            pass
    if isinstance(value, ast.Call) and value is not call:
        name = source.names.qualified(value.func) or ast.unparse(value.func)
        if name in _EXITS and value.args == [call]:
            value = call
    if value is call:
        return Place(call, statement, target, is_whole=True)
    if isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign | ast.If | ast.With):
        return Place(call, statement, f"{function.name}_result", is_whole=False)
    return None


def _inline(script: Script, fits: Fits, place: Place, function: ast.FunctionDef) -> Script | None:
    """The script with one call written out; None if that cannot be done."""
    locator = Locator(script.source)
    body = body_of(script, fits, place.call, function, place.target, locator)
    if body is None:
        return None
    name = function.name
    for one in function.decorator_list:
        message = _LEFT_OUT.format(decorator=f"@{ast.unparse(one)}", name=name)
        script = script.saying(place.call, Kind.DIFFERENT, message)
    home = fits.modules.home(function)
    is_here = home is script.source
    gone = None
    if is_here and not _is_used_elsewhere(fits, script.source, place, function):
        gone = locator.statement(function)
    module = rewritten(locator, place, body, gone)
    module = module.with_changes(body=with_imports(module.body, body.imports, script.source))
    docstring = script.docstring or (
        home.segment(function.body[0]) if has_docstring(function) else ""
    )
    if name.startswith("_") or not docstring.startswith(('"', "'")):
        docstring = script.docstring
    return replace(script, text=script.text.rebuilt(locator, module), docstring=docstring)


def _is_used_elsewhere(fits: Fits, source: Source, place: Place, function: ast.FunctionDef) -> bool:
    """Whether anything but the call names the function or the method."""
    owner = source.names.parents.get(function)
    if isinstance(owner, ast.ClassDef):
        named = [
            node
            for one in fits.modules
            for node in one.names.of(ast.Attribute)
            if node.attr == function.name and node is not place.call.func
        ]
        return bool(named) or len(owner.body) < 2 or len(fits.flow.family(owner)) > 1
    if not isinstance(owner, ast.Module):
        return True
    return any(
        node.id == function.name and node is not place.call.func
        for node in source.names.of(ast.Name)
    )


def rewritten(locator: Locator, place: Place, body: Body, gone: Any) -> cst.Module:
    """The module with lines before the statement of a call, or in its place.

    Args:
        locator: finds the nodes of the script.
        place: the call.
        body: the lines.
        gone: a definition that goes, or None.
    """
    statement: Any = locator.statement(place.statement)
    call: Any = locator.expression(place.call)
    path = ancestors(locator.module, [statement, call, gone])
    rewriter = _Rewriter(statement, call, place, body, gone, path)
    return locator.module.visit(rewriter)


class _Rewriter(cst.CSTTransformer):
    """Writes the body before the statement, and the result in the place of the call."""

    def __init__(
        self, statement: Any, call: Any, place: Place, body: Body, gone: Any, path: set[int]
    ) -> None:
        super().__init__()
        self._statement, self._call, self._place, self._gone = statement, call, place, gone
        self._body = body
        self._path = path

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Look only where something changes."""
        return id(node) in self._path and node is not self._gone

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        """Rewrite the line of the call, wherever it stands."""
        if original_node is self._gone:
            return cst.RemoveFromParent()
        if original_node is self._call and not self._place.is_whole:
            return cst.Name(self._place.target)
        if isinstance(original_node, cst.SimpleStatementLine):
            if any(one is self._statement for one in original_node.body):
                return self._line(original_node, updated_node)
        elif isinstance(original_node, cst.SimpleStatementSuite):
            if any(one is self._statement for one in original_node.body):
                lines = lines_of(updated_node)
                found = []
                for old, line in zip(original_node.body, lines, strict=True):
                    found += self._replaced(line) if old is self._statement else [line]
                return cst.IndentedBlock(found)
        elif original_node is self._statement and isinstance(
            original_node, cst.BaseCompoundStatement
        ):
            return self._before(updated_node)
        return updated_node

    def _line(self, original: Any, updated: Any) -> Any:
        found: list[Any] = []
        for old, line in zip(original.body, split(updated), strict=True):
            found += self._replaced(line) if old is self._statement else [line]
        return cst.FlattenSentinel(found)

    def _before(self, updated: Any) -> Any:
        """A block statement below the lines of the body."""
        lines = list(self._body.lines)
        lines[0] = lines[0].with_changes(leading_lines=updated.leading_lines)
        return cst.FlattenSentinel([*lines, updated.with_changes(leading_lines=[])])

    def _replaced(self, line: Any) -> list[Any]:
        lines = list(self._body.lines)
        kept = [] if self._place.is_whole else [line.with_changes(leading_lines=[])]
        if not lines:
            lines = [cst.SimpleStatementLine([cst.Pass()])] if not kept else []
        found = [*lines, *kept]
        comments = list(line.leading_lines)
        trailing = line.trailing_whitespace
        if self._place.is_whole and trailing.comment is not None:
            comments.append(cst.EmptyLine(comment=trailing.comment))
        first = found[0]
        rest = [one for one in first.leading_lines if one.comment is not None]
        found[0] = first.with_changes(leading_lines=[*comments, *rest])
        return found
