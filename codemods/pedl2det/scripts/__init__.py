"""Turn training scripts into trials before the rules see the project.

A script under PEDL fitted its own model and was the entrypoint of its config. It becomes a
generator and a trial class in the same file, or gets a trial in a file beside it that runs it as it
is; the rules then rewrite that like any other trial.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pedl2det.analysis.flow import Flow
from pedl2det.analysis.flow.values import argument
from pedl2det.analysis.membership import INITS, calls_of
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.project import Reading, Script, make_trial
from pedl2det.analysis.source import Source
from pedl2det.edits.apply import apply
from pedl2det.edits.imports import Wanted, fit_imports
from pedl2det.findings import Finding, Kind
from pedl2det.fixes import ConfigNeed, Edit, Mark, Replace, ReplaceStatement
from pedl2det.scripts import native
from pedl2det.scripts.fits import Fits, Problem, batch_size
from pedl2det.scripts.generator import SUPPORT, class_name, main_edits, with_trial, yield_edits

#: The rule that documents this, and under which it reports.
RULE = "P015"
BATCH_SIZES = frozenset({"global_batch_size", "batch_size"})

_YIELDED = (
    "the script yields what it gave to fit, and goes on when the training ends; "
    "`python {}` alone trains nothing any more"
)
_SUBMITTED = "create is gone: the trial is started with a config file"
_COMPUTED = "the experiment config is computed, so migrate cannot write it to a file"
_WRITE_CONFIG = "write it to const.yaml, with an entrypoint"
#: The trial of a script that is carried over whole.
_WHOLE = '''\
from pedl.frameworks.keras import ScriptTrial


class {name}(ScriptTrial):
    """Trains what `{file}` gives to `fit`."""

    script = "{file}"
'''
_STEPS = frozenset({"max_steps", "target_trial_steps", "step_budget"})


def lower(reading: Reading) -> Reading:
    """Return the project with its scripts written as trials; other projects as they are."""
    trial, named = reading.trial, set()
    for path, config in reading.configs.items():
        if name := config.scalar("entrypoint", "script"):
            named |= {base / name for base in (path.parent, reading.project.home)}
    paths = named.union(reading.project.scripts)
    sources, scripts = (_carry_over if trial.carried else lower_sources)(trial.modules, paths)
    if not scripts:
        return reading
    for path in named & scripts.keys():  # these have their config
        findings = scripts[path].findings
        findings[:] = [finding for finding in findings if finding.message != _COMPUTED]
    unseen = {path: _at_new_lines(lines, scripts.get(path)) for path, lines in trial.unseen.items()}
    trial = make_trial(
        reading.project, sources, reading.configs, carried=trial.carried, unseen=unseen
    )
    searchers = [(script.config or {}).get("searcher") for script in scripts.values()]
    trial.counts_in_steps |= any(
        isinstance(searcher, dict) and _STEPS & searcher.keys() for searcher in searchers
    )
    return replace(reading, trial=trial, scripts=scripts)


def _at_new_lines(lines: frozenset[int], script: Script | None) -> frozenset[int]:
    """The lines of the new text that come from some lines of a script."""
    if script is None:
        return lines
    return frozenset(number for number, old in enumerate(script.lines, 1) if old in lines)


def lower_sources(
    modules: Modules, paths: set[Path]
) -> tuple[dict[str, Source], dict[Path, Script]]:
    """Write scripts as trials: return the files with their new texts, and the scripts by path."""
    scripts = {id(source) for source in modules if source.is_module and source.path in paths}
    plans: dict[Path, Script] = {}
    for source in modules:
        if id(source) in scripts:
            plans[source.path] = _plan_training(source, modules, scripts)
        elif source.is_module and "create(" in source.text:
            submission = _plan_submission(source, modules)
            plans |= {source.path: submission} if submission is not None else {}
    edits: dict[Path, list[Edit]] = defaultdict(list)
    for plan in plans.values():
        for source, edit in plan.edits:
            edits[source.path].append(edit)
    new = dict(modules.by_name)
    written: dict[Path, Script] = {}
    for name, source in modules.by_name.items():
        path = source.path
        if path in plans or path in edits:
            script = plans.get(path, Script(source))  # without a plan it is a script's helper
            text = _new_text(script, edits[path], new)
            new[name] = replace(source, text=text, tree=ast.parse(text))
            written[path] = replace(script, lines=original_lines(source.lines, text.splitlines()))
    return new, written


def _carry_over(modules: Modules, paths: set[Path]) -> tuple[dict[str, Source], dict[Path, Script]]:
    """Write a trial beside each script, which stays: return the files, and the scripts by path."""
    new, written = dict(modules.by_name), {}
    scripts = {id(source) for source in modules if source.is_module and source.path in paths}
    for name, source in modules.by_name.items():
        if id(source) not in scripts:
            continue
        script = written[source.path] = Script(source, lines=tuple(range(1, len(source.lines) + 1)))
        fits = Fits(modules, source, scripts)
        if not _mark_problems(script, fits.lacking(), modules):
            _take_config(script, fits, source)
            stem = f"{source.path.stem}_trial"
            while source.path.with_name(f"{stem}.py").exists():
                stem += "_"
            dotted = f"{name.rpartition('.')[0]}.{stem}".lstrip(".")
            _require_config(script, fits, f"{dotted}:{class_name(source, name)}")
            text = _WHOLE.format(name=class_name(source, name), file=source.path.name)
            new[dotted] = Source.of(source.path.with_name(f"{stem}.py"), text)
    return new, written


def _new_text(script: Script, edits: list[Edit], by_name: Mapping[str, Source]) -> str:
    """A file with its edits and its trial, and with imports for them."""
    source = script.source
    text = apply(source, edits, {})
    added = {"import legacy_keras"}
    project = frozenset(name.partition(".")[0] for name in by_name)
    if script.support:
        edited = Source.of(source.path, text)
        class_name = script.entrypoint.partition(":")[2]
        text = with_trial(edited, class_name, script.context, project)
        added.add("from pedl.frameworks.keras import TFKerasTrial")
    wanted = Wanted(frozenset(added), lambda _: False, project)
    text = fit_imports(source, Source.of(source.path, text), wanted)
    return text if source.text[:1].isspace() else text.lstrip()


def original_lines(old: Sequence[str], new: Sequence[str]) -> tuple[int, ...]:
    """For each line of a new text, the line of the old text that it came from.

    A new line has the number of the line before it.
    """
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(old, 1):
        numbers[line.strip()].append(number)
    result, last = [], 0
    for line in new:
        places = numbers.get(line.strip(), [])
        last = places[0] if len(places) == 1 else last + (last + 1 in places)
        result.append(max(last, 1))
    return tuple(result)


def at_old_lines(reading: Reading, placed: Iterable[Any]) -> list[Any]:
    """Findings and changes in rewritten scripts, at the lines of the scripts on the disk."""
    moved = []
    for item in placed:
        script = reading.scripts.get(item.path)
        if script is not None and 0 < item.line <= len(script.lines):
            line = script.lines[item.line - 1]
            item = replace(item, line=line)
            if isinstance(item, Finding):
                code = reading.originals[item.path].lines[line - 1]  # its indentation may differ
                item = replace(item, code=code, column=0, end_column=0)
        moved.append(item)
    return moved


def _say(
    script: Script, home: Source, node: ast.AST, kind: Kind, message: str, help_: str = ""
) -> None:
    line = getattr(node, "lineno", 1)
    code = home.lines[line - 1]
    script.findings.append(Finding(kind, RULE, home.path, line, message, help_, code=code))


def _plan_training(source: Source, modules: Modules, scripts: set[int]) -> Script:
    script = Script(source)
    fits = Fits(modules, source, scripts)
    if _mark_problems(script, fits.problems(), modules):
        return script
    for call in _take_config(script, fits, source):
        match source.names.parents[call]:
            case ast.Assign(targets=[ast.Name(id=name)]) as line:
                if source.names.definition_around(call) is None:
                    script.context = name
                    gone = native.with_preparation(source, modules, line)
                    script.edits += [(source, ReplaceStatement(statement)) for statement in gone]
    name = modules.name_of(source)
    said = _YIELDED.format(f"{name.replace('.', '/')}.py")
    for call in fits.calls:
        _say(script, modules.home(call), call, Kind.NOTE, said)
    for node in source.names.of(ast.Subscript):  # an imported script is no command
        if ast.unparse(node) == "sys.argv[0]" and source.names.definition_around(node) is None:
            script.edits.append((source, Replace(node, "__file__")))
    script.support = SUPPORT
    script.edits += [*yield_edits(fits), *((source, edit) for edit in main_edits(source))]
    _require_config(script, fits, f"{name}:{class_name(source, name)}")
    return script


def _mark_problems(script: Script, problems: Iterable[Problem], modules: Modules) -> bool:
    """Mark what keeps a script from becoming a trial; return whether there is anything."""
    for node, message, help_ in problems:
        home = modules.home(node)
        _say(script, home, node, Kind.LEFT, message, help_)
        if not isinstance(node, ast.Module):  # an empty file
            text = f"TODO(pedl2det {RULE}): {message}\n  {help_}"
            script.edits.append((home, Mark(home.names.statement_of(node), text)))
    return bool(script.findings)


def _take_config(script: Script, fits: Fits, source: Source) -> list[ast.Call]:
    """Take the config from the calls of the Native API; return these calls."""
    calls = [*calls_of(source, INITS)]
    for call in calls:
        config = argument(call, "config", 0)
        script.config = native.config_of(fits.flow, config)
        if config is not None and script.config is None:
            _say(script, source, call, Kind.LEFT, _COMPUTED, _WRITE_CONFIG)
    return calls


def _require_config(script: Script, fits: Fits, entrypoint: str) -> None:
    """Require the configs of a script to name its trial, and the size of its batches."""
    script.entrypoint = entrypoint
    script.needs = (ConfigNeed("entrypoint", entrypoint),)
    section = (script.config or {}).get("hyperparameters")
    if not (isinstance(section, dict) and BATCH_SIZES & section.keys()):
        script.needs += (ConfigNeed("global_batch_size", batch_size(fits)),)


def _plan_submission(source: Source, modules: Modules) -> Script | None:
    """Plan a file that submits a trial of the project; None if it does not."""
    submitted = native.create_of(source, modules)
    if submitted is None:
        return None
    statement, entrypoint = submitted
    script = Script(source, entrypoint=entrypoint)
    call = statement.value
    assert isinstance(call, ast.Call)
    config = argument(call, "config", 1)
    script.config = native.config_of(Flow(modules), config)
    is_computed = config is not None and script.config is None
    message = f"{_SUBMITTED}; {_COMPUTED}" if is_computed else _SUBMITTED
    _say(script, source, call, Kind.NOTE, message)
    gone = native.with_preparation(source, modules, statement)
    script.edits += [(source, ReplaceStatement(statement)) for statement in gone]
    return script
