"""What a trial cannot do is marked: it trains one model, once."""

from __future__ import annotations

import ast
from dataclasses import replace

from pedl2det.engine.lowering.alone import trainings
from pedl2det.engine.lowering.cutting import exclusive
from pedl2det.engine.lowering.fits import Fits
from pedl2det.engine.lowering.lowered import RULE
from pedl2det.engine.lowering.script import Script
from pedl2det.findings import Kind
from pedl2det.fixes import Edit, Mark

_AGAIN = "fit is called a second time, and a trial trains one model, once"
_WRITE_TWO = "make a second trial of it, which starts from a checkpoint of the first"
_LOOP = "fit is called in a loop, and a trial trains one model, once"
_WRITE_ONE = "leave the loop out; the number of epochs is said by searcher.max_length"


def marked(script: Script) -> Script:
    """Mark further trainings, and a training in a loop."""
    fits = Fits(script.modules())
    calls = trainings(fits, script)
    source = script.source
    mine = exclusive(source.names.parents, calls)
    edits: list[Edit] = []
    for call in calls:
        message, help_ = _AGAIN, _WRITE_TWO
        if call in mine:
            if not _is_in_loop(source.names.parents, call):
                continue
            message, help_ = _LOOP, _WRITE_ONE
        statement = source.names.statement_of(call)
        edits.append(Mark(statement, f"TODO(pedl2det {RULE}): {message}\n  {help_}"))
        script = script.saying(call, Kind.LEFT, message, help_)
    if not edits:
        return script
    return replace(script, text=script.text.edited(edits))


def _is_in_loop(parents: dict[ast.AST, ast.AST], node: ast.AST) -> bool:
    while node in parents:
        node = parents[node]
        if isinstance(node, ast.For | ast.While | ast.AsyncFor):
            return True
    return False
