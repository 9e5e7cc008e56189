"""Hand the trial's context to the functions that need it."""

from __future__ import annotations

import ast
from typing import Any

from pedl2det import fixes as fx
from pedl2det.analysis.flow import Function
from pedl2det.analysis.trial import Trial
from pedl2det.engine.surviving import Edits


def thread_context(trial: Trial, edits: Edits) -> tuple[dict[ast.AST, str], dict[Function, str]]:
    """Return the context at each edit that asks for it, and the functions that take it.

    Functions that get it as a parameter, and the calls that hand it on, are added to the edits.
    """
    contexts: dict[ast.AST, str] = {}
    functions: dict[Function, str] = {}
    waiting = [edit for mine in edits.values() for edit in mine]
    while waiting:
        edit: Any = waiting.pop()
        if fx.CONTEXT not in getattr(edit, "code", ""):
            continue
        place = fx.place_of(edit)
        access = trial.context.at(inside(edit))
        if access is None:
            raise AssertionError(f"no context at line {getattr(place, 'lineno', 0)}: {edit}")
        contexts[place] = access.code
        function = access.through
        if function is None or function in functions:
            continue
        functions[function] = access.code
        home = trial.modules.home(function)
        edits[id(home)].append(fx.AddParameter(function, access.code))
        for call in trial.flow.calls(function):
            handing = fx.AddArgument(call.node, fx.CONTEXT, first=True)
            edits[id(trial.modules.home(call.node))].append(handing)
            waiting.append(handing)
    return contexts, functions


def inside(edit: Any) -> ast.AST:
    """Return the place that decides which context the code of an edit has."""
    return edit.node.body[0] if isinstance(edit, fx.InsertFirst) else fx.place_of(edit)
