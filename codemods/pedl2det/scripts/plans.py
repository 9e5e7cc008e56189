"""Decide what becomes of a script: its edits, what its configs need, what the user is told."""

from __future__ import annotations

import ast

from pedl2det.analysis.flow import Flow
from pedl2det.analysis.flow.values import argument
from pedl2det.analysis.membership import INITS, calls_of
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.project import Script
from pedl2det.analysis.source import Source
from pedl2det.findings import Finding, Kind
from pedl2det.fixes import ConfigNeed, Mark, Replace, ReplaceStatement
from pedl2det.scripts import native
from pedl2det.scripts.fits import Fits, batch_size
from pedl2det.scripts.generator import SUPPORT, class_name, main_edits, yield_edits

#: The rule that documents this, and under which it reports.
RULE = "P015"
BATCH_SIZES = frozenset({"global_batch_size", "batch_size"})

_YIELDED = "the script yields what it gave to fit, and goes on when the training ends"
_SUBMITTED = "create is gone: the trial is started with a config file"
_COMPUTED = "the experiment config is computed, so migrate cannot write it to a file"
_WRITE_CONFIG = "write it to const.yaml, with an entrypoint"


def _say(
    script: Script, home: Source, node: ast.AST, kind: Kind, message: str, help_: str = ""
) -> None:
    """Tell the user something about a place."""
    line = getattr(node, "lineno", 1)
    code = home.lines[line - 1]
    script.findings.append(Finding(kind, RULE, home.path, line, message, help_, code=code))


def plan_training(source: Source, modules: Modules, scripts: set[int], has_size: bool) -> Script:
    """Plan a script that trains; a config may have its batch size."""
    script = Script(source)
    fits = Fits(modules, source, scripts)
    for node, message, help_ in fits.problems():
        home = modules.home(node)
        _say(script, home, node, Kind.LEFT, message, help_)
        if not isinstance(node, ast.Module):  # an empty file
            text = f"TODO(pedl2det {RULE}): {message}\n  {help_}"
            script.edits.append((home, Mark(home.names.statement_of(node), text)))
    if script.findings:
        return script
    for call in calls_of(source, INITS):
        given = argument(call, "config", 0)
        script.config = native.config_of(fits.flow, given)
        if given is not None and script.config is None:
            _say(script, source, call, Kind.LEFT, _COMPUTED, _WRITE_CONFIG)
    gone: list[ast.stmt] = []
    asked = native.init_of(source)
    if asked is not None:
        statement, script.context = asked
        gone = native.with_preparation(source, modules, statement)
    script.edits += [(source, ReplaceStatement(one)) for one in gone]
    for call in fits.calls:
        _say(script, modules.home(call), call, Kind.NOTE, _YIELDED)
    for node in source.names.of(ast.Subscript):  # while it is imported, the script is no command
        if ast.unparse(node) == "sys.argv[0]" and source.names.definition_around(node) is None:
            script.edits.append((source, Replace(node, "__file__")))
    script.support = SUPPORT
    script.edits += [*yield_edits(fits), *((source, one) for one in main_edits(source))]
    name = modules.name_of(source)
    script.entrypoint = f"{name}:{class_name(source, name)}"
    script.needs = (ConfigNeed("entrypoint", script.entrypoint),)
    section = (script.config or {}).get("hyperparameters")
    if not has_size and not (isinstance(section, dict) and BATCH_SIZES & section.keys()):
        script.needs += (ConfigNeed("global_batch_size", batch_size(fits)),)
    return script


def plan_submission(source: Source, modules: Modules) -> Script | None:
    """Plan a file that submits a trial of the project; None if it does not."""
    submitted = native.create_of(source, modules)
    if submitted is None:
        return None
    statement, entrypoint = submitted
    script = Script(source, entrypoint=entrypoint)
    call = statement.value
    assert isinstance(call, ast.Call)
    given = argument(call, "config", 1)
    script.config = native.config_of(Flow(modules), given)
    is_computed = given is not None and script.config is None
    _say(
        script, source, call, Kind.NOTE, f"{_SUBMITTED}; {_COMPUTED}" if is_computed else _SUBMITTED
    )
    gone = native.with_preparation(source, modules, statement)
    script.edits += [(source, ReplaceStatement(one)) for one in gone]
    return script
