"""Trials that submit themselves: ``determined.experimental.create(trial_def=Net, config=config)``.

No later release had ``create``. The config that it was given becomes a file, and the lines that
only prepared it go.
"""

from __future__ import annotations

import ast

from pedl2det.analysis.native import create_calls
from pedl2det.analysis.source import Source
from pedl2det.engine.lowering.command_line import is_main_guard
from pedl2det.engine.lowering.lowered import Facts, Lowered
from pedl2det.engine.lowering.native import config_of
from pedl2det.engine.lowering.script import Script
from pedl2det.engine.lowering.unread import without_unread
from pedl2det.findings import Kind
from pedl2det.fixes import Edit, ReplaceStatement

_GONE = "create is gone: {command} submits the trial"
_COMMAND = "det experiment create const.yaml ."


def without_submission(source: Source, facts: Facts) -> Lowered | None:
    """Leave out the code that submits a trial of the project; None if there is none.

    Args:
        source: a file of the project.
        facts: what is known beside it.
    """
    script = Script(source, source, facts)
    for call in create_calls(source):
        statement = source.names.parents.get(call)
        trial = _argument(call, "trial_def", 0)
        entrypoint = _entrypoint(script, trial) if trial is not None else ""
        if not isinstance(statement, ast.Expr) or not entrypoint:
            continue
        given = _argument(call, "config", 1)
        config = config_of(script, given) if given is not None else None
        message = _GONE.format(command=_COMMAND)
        new = script.saying(call, Kind.NOTE, message)
        new = without_unread(new.edited([ReplaceStatement(statement)]), script)
        new = new.edited(_empty_guards(new.source)).with_imports()
        class_name = entrypoint.partition(":")[2]
        return Lowered(
            new.source.text, class_name, (), new.findings, new.lines, (), config, entrypoint
        )
    return None


def _argument(call: ast.Call, name: str, place: int) -> ast.expr | None:
    given = next((one.value for one in call.keywords if one.arg == name), None)
    return given or next(iter(call.args[place : place + 1]), None)


def _entrypoint(script: Script, trial: ast.expr) -> str:
    """The trial class that an expression means, as ``module:Class``."""
    modules = script.modules()
    meaning = modules.meaning(trial)
    found = modules.definition(meaning) if meaning else None
    if not isinstance(found, ast.ClassDef):
        return ""
    return f"{modules.name_of(modules.home(found))}:{found.name}"


def _empty_guards(source: Source) -> list[Edit]:
    """Drop main guards with nothing below."""
    return [
        ReplaceStatement(one)
        for one in source.tree.body
        if isinstance(one, ast.If) and is_main_guard(one.test) and isinstance(one.body[0], ast.Pass)
    ]
