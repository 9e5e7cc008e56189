"""Write a script that fits its own model as a trial of the old generation.

This runs before the rules, which then rewrite that trial like any other: no rule knows scripts.
The options of a script's command line get their defaults, and what it runs below its main guard
and in its ``main()`` becomes statements of the module. A script that then trains in one of these
statements becomes a plain trial; any other one becomes a generator that its trial resumes.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pedl2det.analysis.callbacks import may_act_by_epoch
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.edits.apply import apply
from pedl2det.engine.lowering.command_line import without_command_line
from pedl2det.engine.lowering.data import records_in_batch
from pedl2det.engine.lowering.fit_call import arguments_of, hides_arguments
from pedl2det.engine.lowering.fits import Fits, called_by
from pedl2det.engine.lowering.generators import WRITE_TRIAL, Problem, as_generators, unfit
from pedl2det.engine.lowering.kept import Keeper
from pedl2det.engine.lowering.lowered import RULE, Facts, Lowered
from pedl2det.engine.lowering.native import without_init
from pedl2det.engine.lowering.opening import opened, without_main_guard
from pedl2det.engine.lowering.parts import Parts, stays, taken_apart
from pedl2det.engine.lowering.script import Script
from pedl2det.engine.lowering.statements import read_names
from pedl2det.engine.lowering.submission import without_submission
from pedl2det.engine.lowering.trial_class import generator, plain
from pedl2det.engine.lowering.unread import without_unread
from pedl2det.findings import Kind
from pedl2det.fixes import ConfigNeed, ReplaceStatement

__all__ = ["RULE", "Facts", "Lowered", "lower", "lower_script", "without_submission"]

_AFTER = "what the script did after fit is done when the training ends, by a callback"
_NO_FIT = "the script calls no model's fit, so there is nothing to train"
_TRAINS_ITSELF = "the script trains with a loop of its own, which no trial can"
_OUT_OF_REACH = "fit is called where the script's own statements do not lead"
_NO_VALIDATION = "fit gets no validation_data, which every trial needs"
_WRITE_VALIDATION = "return the validation data from build_validation_data_loader"
_KERAS_BATCH = 32


def lower(text: str, facts: Facts) -> Lowered:
    """Write the text of a script as a trial.

    Args:
        text: the script.
        facts: what is known beside it.

    Raises:
        Unreadable: the script is not Python 3.
    """
    return lower_script(Source.of(facts.path, text), facts)


def lower_script(source: Source, facts: Facts) -> Lowered:
    """Write a script as a trial."""
    first = Script(source, source, facts)
    started = without_command_line(first)
    script = without_main_guard(started)
    inside = without_init(opened(script))
    fits = Fits(inside.modules())
    found, _ = fits.trainings(inside.source)
    if not found:
        return _left(first, _untrained(first))
    if len(found) == 1 and (statement := _statement(inside, found[0])) is not None:
        return _plain(inside, fits, found[0], statement)
    for node, message, help_ in unfit(started):
        return _left(first, (_at(first, started, node), message, help_))
    return _generator(without_init(script))


def _at(first: Script, script: Script, node: ast.AST) -> ast.AST:
    """The statement of the first text that a node came from."""
    line = script.lines[script.source.names.statement_of(node).lineno - 1]
    statements = [one for one in ast.walk(first.source.tree) if isinstance(one, ast.stmt)]
    return next(one for one in statements if one.lineno == line)


def _statement(script: Script, call: ast.Call) -> ast.Expr | ast.Assign | None:
    """The statement of a script that is nothing but a plain call of ``fit``; None if none is."""
    statement = script.source.names.parents.get(call)
    if statement not in script.source.tree.body or hides_arguments(call):
        return None
    parts = taken_apart(script, stays(script, statement))
    target = ""
    match statement:
        case ast.Expr():
            pass
        case ast.Assign(targets=[ast.Name(id=target)]):
            pass
        case _:
            return None
    before = parts.nodes[: parts.nodes.index(statement)]
    is_plain = not parts.shared and target not in read_names(before)
    is_plain &= "x" in arguments_of(call) and "self" not in read_names(parts.nodes)
    return statement if is_plain and not _declares(parts.nodes) else None


def _declares(statements: Sequence[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Global) for one in statements for node in ast.walk(one))


def _plain(script: Script, fits: Fits, call: ast.Call, statement: ast.Expr | ast.Assign) -> Lowered:
    """A script that trains in one of its statements."""
    old = script
    keeper = Keeper(fits, call, script.facts)
    kept = keeper.kept()
    stay = stays(script, statement)
    for kind, message in dict.fromkeys(kept.said):
        script = script.saying(call, kind, message)
    if not {"validation_data", "validation_split"} & arguments_of(call).keys():
        script = script.saying(call, Kind.LEFT, _NO_VALIDATION, _WRITE_VALIDATION)
    at = script.source.tree.body.index(statement)
    script = script.edited([ReplaceStatement(statement, "\n".join(kept.lines), keeper.holes)])
    count = len(script.source.tree.body) - len(stay) + 1
    parts = taken_apart(script, [*stay[:at], *[False] * count, *stay[at + 1 :]])
    end = stay[:at].count(False) + count
    history = ast.unparse(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
    trial = plain(script, parts, call, history, end, kept.epoch)
    support = {*kept.support, *(["with_epoch_logs"] if kept.epoch else [])}
    if "AfterTraining" in parts.module.code_for_node(trial):
        script = script.saying(parts.nodes[end], Kind.NOTE, _AFTER)
        support.add("AfterTraining")
    script = without_unread(_with_trial(script, parts, [trial], support), old)
    return _lowered(script, kept.batch_size, support)


def _generator(script: Script) -> Lowered:
    """Any other script."""
    fits = Fits(script.modules())
    stay = stays(script)
    moving = [one for one, stays in zip(script.source.tree.body, stay, strict=True) if not stays]
    trainings, functions = fits.trainings(script.source)
    spared = None
    if len(moving) == 1 and not isinstance(moving[0], ast.Assign):
        call = called_by(script.source, moving[0])
        spared = call if call is not None and functions & {*fits.flow.called(call)} else None
    given = [arguments_of(one) for one in trainings]
    own_size = _size(fits, given)
    name = script.source.segment(spared) if spared is not None else ""
    script, edits = as_generators(script, fits, spared)
    elsewhere = {
        source.path: script.facts.with_imports(
            source.text, apply(source, found, {}), "import legacy_keras"
        )
        for source, found in edits.items()
        if source is not script.source
    }
    script = script.edited(edits[script.source])
    parts = taken_apart(script, stay)
    before = Trial(script.facts.path.parent, fits.modules)
    by_epochs = any(_may_count_epochs(before, one) for one in trainings)
    trial = generator(script, parts, name, by_epochs)
    support = {"Fit", "AfterTraining", *(["with_epoch_logs"] if by_epochs else [])}
    script = _with_trial(script, parts, trial, support)
    size = None if script.facts.has_batch_size else own_size
    return _lowered(script, size, support, elsewhere)


def _may_count_epochs(trial: Trial, call: ast.Call) -> bool:
    """Whether a call of ``fit`` may be given callbacks that act by epoch."""
    given = arguments_of(call).get("callbacks")
    if given is not None:
        return may_act_by_epoch(trial, given)
    return any(isinstance(one, ast.Starred) for one in call.args) or any(
        one.arg is None for one in call.keywords
    )


def _size(fits: Fits, given: Sequence[dict[str, ast.expr]]) -> int:
    """The records in a batch, if a call says the number, or its data have batches already."""
    for arguments in given:
        size = arguments.get("batch_size")
        if isinstance(size, ast.Constant) and isinstance(size.value, int):
            return size.value
        if size is None and "x" in arguments and "y" not in arguments:
            records = records_in_batch(fits, arguments["x"])
            if records is not None:
                return records
    return _KERAS_BATCH


def _with_trial(script: Script, parts: Parts, trial: list[Any], support: set[str]) -> Script:
    """The script with its trial, behind what stays."""
    body = [*(one.code for one in parts.staying), *trial]
    imports = ["from pedl.frameworks.keras import TFKerasTrial"]
    imports += ["import legacy_keras"] if support else []
    return script.with_body(parts.module, body).with_imports(*imports)


def _lowered(
    script: Script,
    batch_size: int | None,
    support: set[str],
    elsewhere: Mapping[Path, str] | None = None,
) -> Lowered:
    classes = [one for one in script.source.tree.body if isinstance(one, ast.ClassDef)]
    name = classes[-1].name
    needs = [ConfigNeed("entrypoint", f"{script.facts.name}:{name}")]
    needs += [ConfigNeed("global_batch_size", batch_size)] if batch_size is not None else []
    return Lowered(
        script.source.text,
        name,
        tuple(needs),
        script.findings,
        script.lines,
        tuple(sorted(support)),
        script.config,
        f"{script.facts.name}:{name}",
        elsewhere or {},
    )


def _untrained(script: Script) -> Problem:
    """A script in which no training can be found."""
    message = _NO_FIT
    node: ast.AST = next(iter(script.source.tree.body), script.source.tree)
    for call in script.source.names.of(ast.Call):
        if getattr(call.func, "attr", "") in ("train_on_batch", "apply_gradients"):
            message, node = _TRAINS_ITSELF, call
    for call in Fits(script.modules()).calls(script.source):
        message, node = _OUT_OF_REACH, call
    return node, message, WRITE_TRIAL


def _left(script: Script, problem: Problem) -> Lowered:
    """A script that stays as it is, with a mark."""
    node, message, help_ = problem
    if isinstance(node, ast.Module):  # an empty file has no place for a mark
        script = script.saying(node, Kind.LEFT, message, help_)
    else:
        script, mark = script.marking(node, message, help_)
        script = script.edited([mark])
    return Lowered(script.source.text, findings=script.findings, lines=script.lines)
