"""Write a script that fits its own model as a trial of the old generation.

This runs before the rules, which then rewrite that trial like any other: no rule knows scripts.
A script is brought into one form first, pass by pass: its options of the command line have their
defaults, code below the main guard is code of the module, and functions in which the training
happens are written where they are called. Then what comes before the training becomes the
constructor of a trial, and what comes after it a method that a callback calls.
"""

from __future__ import annotations

import ast
from dataclasses import replace

import libcst as cst

from pedl2det.analysis.callbacks import by_epoch
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.engine.lowering.alone import each_alone, trainings
from pedl2det.engine.lowering.assembly import trial_class
from pedl2det.engine.lowering.blocks import without_blank_lines
from pedl2det.engine.lowering.command_line import without_command_line
from pedl2det.engine.lowering.cutting import cut
from pedl2det.engine.lowering.dead_names import without_dead_names
from pedl2det.engine.lowering.fit_call import read_fit
from pedl2det.engine.lowering.fits import Fits
from pedl2det.engine.lowering.imports import last_callback, with_imports
from pedl2det.engine.lowering.inlining import inlined
from pedl2det.engine.lowering.limits import marked
from pedl2det.engine.lowering.lowered import RULE, Facts, Lowered
from pedl2det.engine.lowering.main_guard import without_main_guard
from pedl2det.engine.lowering.naming import class_name
from pedl2det.engine.lowering.native import without_init
from pedl2det.engine.lowering.recorded import record
from pedl2det.engine.lowering.script import Script
from pedl2det.engine.lowering.submission import without_submission
from pedl2det.engine.lowering.text import Text
from pedl2det.findings import Finding, Kind
from pedl2det.fixes import ConfigNeed, Mark

__all__ = ["RULE", "Facts", "Lowered", "lower", "lower_script", "without_submission"]

_AFTER = "what the script did after fit is done when the training ends, by a callback"
_NO_FIT = "the script calls no model's fit, so there is nothing to train"
_TRAINS_ITSELF = "the script trains with a loop of its own, which no trial can"
_OUT_OF_REACH = "fit is called where the script's own statements do not lead"
_WRITE_TRIAL = (
    "write a trial: build_model, build_training_data_loader and build_validation_data_loader"
)

#: What brings a script into one form, in this order.
_PASSES = (
    *(without_command_line, without_main_guard, inlined, each_alone),
    *(without_init, marked),
)


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
    first = Script(Text.of(source), facts)
    script = first
    for step in _PASSES:
        script = step(script)
    fits = Fits(script.modules())
    calls = trainings(fits, script)
    if not calls:
        return _left(first)
    return _lowered(first, script, fits, calls)


def _lowered(first: Script, script: Script, fits: Fits, calls: list[ast.Call]) -> Lowered:
    facts = script.facts
    trial = Trial(facts.path.parent, fits.modules)
    counts_epochs = bool(by_epoch(trial))
    parts = cut(script, first, calls)
    records = []
    known = facts
    for call in parts.fits:
        fit = read_fit(fits, call)
        recorded = record(fits, fit, known, counts_epochs)
        records.append((fit, recorded))
        if recorded.batch_size is not None:  # the others cannot have another one
            known = replace(facts, has_batch_size=True, batch_size=recorded.batch_size)
    parts = without_dead_names(parts, [one for _, one in records])
    name = class_name(script.source, facts.name)
    callback, callback_import = last_callback(script.source)
    made = trial_class(script, parts, records, name, callback)
    for fit, recorded in records:
        for kind, message, help_ in recorded.said:
            script = script.saying(fit.call, kind, message, help_)
    if made.has_after:
        after = parts.after[0].node if parts.after else parts.fit.node
        script = script.saying(after, Kind.NOTE, _AFTER)
    support = {piece for _, recorded in records for piece in recorded.support}
    support |= {"History"} if made.has_history else set()
    imports = ["from pedl.frameworks.keras import TFKerasTrial"]
    imports += [callback_import] if made.has_after and callback_import else []
    imports += ["import legacy_keras"] if support else []
    code = without_blank_lines(made.code, 0)
    code = code.with_changes(leading_lines=[cst.EmptyLine(indent=False)] * 2)
    body = with_imports([one.code for one in parts.staying], imports, script.source)
    module = parts.locator.module.with_changes(body=[*body, code])
    new = script.text.rebuilt(parts.locator, module).with_imports_of(first.source.text)
    sizes = [one.batch_size for _, one in records if one.batch_size is not None]
    needs = [ConfigNeed("entrypoint", f"{facts.name}:{name}")]
    needs += [ConfigNeed("global_batch_size", sizes[0])] if sizes else []
    return Lowered(
        new.source.text,
        name,
        tuple(needs),
        _findings(first, script),
        new.lines,
        tuple(sorted(support)),
        script.config,
        f"{facts.name}:{name}",
    )


def _left(first: Script) -> Lowered:
    """A script in which no training can be found."""
    fits = Fits(first.modules())
    source = first.source
    node: ast.AST = next(iter(source.tree.body), source.tree)
    message = _NO_FIT
    for call in source.names.of(ast.Call):
        if getattr(call.func, "attr", "") in ("train_on_batch", "apply_gradients"):
            node, message = call, _TRAINS_ITSELF
    for call in fits.calls(source):
        node, message = call, _OUT_OF_REACH
    said = first.saying(node, Kind.LEFT, message, _WRITE_TRIAL)
    if not isinstance(node, ast.Module):
        statement = source.names.statement_of(node)
        mark = Mark(statement, f"TODO(pedl2det {RULE}): {message}\n  {_WRITE_TRIAL}")
        said = replace(said, text=said.text.edited([mark]))
    new = said.text
    return Lowered(new.source.text, findings=_findings(first, said), lines=new.lines)


def _findings(first: Script, script: Script) -> tuple[Finding, ...]:
    source = first.source
    return tuple(
        Finding(
            one.kind,
            RULE,
            source.path,
            one.line,
            one.message,
            one.help,
            code=source.lines[one.line - 1] if one.line <= len(source.lines) else "",
        )
        for one in script.said
    )
