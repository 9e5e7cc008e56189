"""Each call that trains gets a statement of its own, which does nothing else."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import libcst as cst

from pedl2det.edits.locate import Locator
from pedl2det.engine.lowering.fits import Fits
from pedl2det.engine.lowering.inlined_body import Body
from pedl2det.engine.lowering.inlining import Place, rewritten
from pedl2det.engine.lowering.script import Script

_MOST = 10


def trainings(fits: Fits, script: Script) -> list[ast.Call]:
    """The calls that train in the script's own statements."""
    source = script.source
    return [one for one in fits.calls(source) if source.names.definition_around(one) is None]


def each_alone(script: Script) -> Script:
    """Write ``history = model.fit(...)`` above the statement that uses what ``fit`` returns."""
    for _ in range(_MOST):
        fits = Fits(script.modules())
        locator = Locator(script.source)
        done = next(
            (made for call in trainings(fits, script) if (made := _alone(script, locator, call))),
            None,
        )
        if done is None:
            return script
        script = done
    return script


def _alone(script: Script, locator: Locator, call: ast.Call) -> Script | None:
    """The script with one call alone; None if it is, or if it cannot be."""
    source = script.source
    statement = source.names.statement_of(call)
    is_whole = _is_whole(statement, call)
    if is_whole and _is_on_own_line(locator, statement):
        return None
    if isinstance(statement, ast.While | ast.For) and call is not getattr(statement, "iter", None):
        return None
    small: Any = locator.statement(statement)
    if is_whole:
        line: Any = cst.SimpleStatementLine(
            [small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]
        )
        name = ""
    else:
        name = _free(script, "history")
        target = cst.AssignTarget(cst.Name(name))
        value: Any = locator.expression(call)
        line = cst.SimpleStatementLine([cst.Assign([target], value)])
    module = rewritten(locator, Place(call, statement, name, is_whole), Body((line,)), None)
    return replace(script, text=script.text.rebuilt(locator, module))


def _is_whole(statement: ast.stmt, call: ast.Call) -> bool:
    match statement:
        case ast.Expr(value=value) | ast.AnnAssign(value=value):
            return value is call
        case ast.Assign(targets=[_], value=value):
            return value is call
    return False


def _is_on_own_line(locator: Locator, statement: ast.stmt) -> bool:
    small = locator.statement(statement)
    finder = _Finder(small)
    locator.module.visit(finder)
    return finder.is_alone


class _Finder(cst.CSTVisitor):
    def __init__(self, small: Any) -> None:
        super().__init__()
        self._small = small
        self.is_alone = False

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Look for a line that is nothing but the statement."""
        if isinstance(node, cst.SimpleStatementLine):
            self.is_alone = self.is_alone or list(node.body) == [self._small]
        return not isinstance(node, cst.SimpleStatementLine)


def _free(script: Script, name: str) -> str:
    while script.source.names.module_bindings(name):
        name += "_"
    return name
