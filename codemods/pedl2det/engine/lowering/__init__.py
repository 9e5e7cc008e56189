"""Write a script that fits its own model as a trial of the old generation.

This runs before the rules, which then rewrite that trial like any other: no rule knows scripts.
The options of a script's command line get their defaults, and what it runs below its main guard
becomes statements of the module. The functions that lead to ``fit`` become generators, which the
trial resumes.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pedl2det.analysis.source import Source
from pedl2det.edits.apply import apply
from pedl2det.engine.lowering.command_line import without_command_line, without_main_guard
from pedl2det.engine.lowering.data import number, records_in_batch
from pedl2det.engine.lowering.fit_call import arguments_of
from pedl2det.engine.lowering.fits import Fits, called_by
from pedl2det.engine.lowering.generators import WRITE_TRIAL, Problem, as_generators, unfit
from pedl2det.engine.lowering.lowered import RULE, Facts, Lowered
from pedl2det.engine.lowering.native import without_init
from pedl2det.engine.lowering.parts import Parts, stays, taken_apart
from pedl2det.engine.lowering.script import Script
from pedl2det.engine.lowering.submission import without_submission
from pedl2det.engine.lowering.trial_class import generator
from pedl2det.findings import Kind
from pedl2det.fixes import ConfigNeed

__all__ = ["RULE", "Facts", "Lowered", "lower", "lower_script", "without_submission"]

_NO_FIT = "the script calls no model's fit, so there is nothing to train"
_TRAINS_ITSELF = "the script trains with a loop of its own, which no trial can"
_OUT_OF_REACH = "fit is called where the script's own statements do not lead"
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
    script = without_init(without_main_guard(started))
    if not Fits(script.modules()).trainings(script.source)[0]:
        return _left(first, _untrained(first))
    for node, message, help_ in unfit(started):
        return _left(first, (_at(first, started, node), message, help_))
    return _generator(script)


def _at(first: Script, script: Script, node: ast.AST) -> ast.AST:
    """The statement of the first text that a node came from."""
    line = script.lines[script.source.names.statement_of(node).lineno - 1]
    statements = [one for one in ast.walk(first.source.tree) if isinstance(one, ast.stmt)]
    return next(one for one in statements if one.lineno == line)


def _generator(script: Script) -> Lowered:
    """Write a script that trains as a generator, and a trial that resumes it."""
    fits = Fits(script.modules())
    stay = stays(script)
    moving = [one for one, stays in zip(script.source.tree.body, stay, strict=True) if not stays]
    trainings, functions = fits.trainings(script.source)
    spared = None
    if len(moving) == 1 and not isinstance(moving[0], ast.Assign):
        call = called_by(moving[0])
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
    trial = generator(script, parts, name)
    support = {"Fit", "started", "with_epoch_logs"}
    script = _with_trial(script, parts, trial, support)
    size = None if script.facts.has_batch_size else own_size
    return _lowered(script, size, support, elsewhere)


def _size(fits: Fits, given: Sequence[dict[str, ast.expr]]) -> int:
    """The records in a batch, if a call says the number, or its data have batches already."""
    for arguments in given:
        size = arguments.get("batch_size")
        seen = number(fits, size) if size is not None else None
        if seen is not None:
            return int(seen)
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
