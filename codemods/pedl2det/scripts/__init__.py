"""A training script becomes a trial, before the rules see the project.

A script under PEDL fitted its own model and was the entrypoint of its config. It becomes a
generator and a trial class in the same file; the rules then rewrite that like any other trial.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pedl2det.analysis.modules import Modules
from pedl2det.analysis.project import Reading, Script, made
from pedl2det.analysis.source import Source
from pedl2det.edits.apply import apply
from pedl2det.edits.imports import Wanted, fit_imports
from pedl2det.findings import Finding
from pedl2det.fixes import Edit
from pedl2det.scripts.generator import with_trial
from pedl2det.scripts.plans import BATCH_SIZES, RULE, plan_submission, plan_training

__all__ = ["RULE", "at_old_lines", "lower", "lower_sources"]

_STEPS = frozenset({"max_steps", "target_trial_steps", "step_budget"})


def lower(reading: Reading) -> Reading:
    """Return the project with its scripts written as trials; other projects as they are."""
    paths = {*reading.project.scripts}
    has_size = False
    for path, config in reading.configs.items():
        entry = config.entry("entrypoint", "script")
        if entry is not None and entry.scalar:
            paths |= {base / entry.scalar for base in (path.parent, reading.project.home)}
        has_size |= any(config.entry("hyperparameters", key) is not None for key in BATCH_SIZES)
    sources, scripts = lower_sources(reading.trial.modules, paths, has_size)
    if not scripts:
        return reading
    trial = made(reading.project, sources, reading.configs, mended=reading.trial.mended)
    searchers = [(one.config or {}).get("searcher") for one in scripts.values()]
    trial.counts_in_steps |= any(isinstance(one, dict) and _STEPS & one.keys() for one in searchers)
    return replace(reading, trial=trial, scripts=scripts)


def lower_sources(
    modules: Modules, paths: set[Path], has_size: bool = False
) -> tuple[dict[str, Source], dict[Path, Script]]:
    """Write scripts as trials: the files with their new texts, and what is to be known of them."""
    scripts = {id(one) for one in modules if one.is_module and one.path in paths}
    plans: dict[Path, Script] = {}
    for source in modules:
        if id(source) in scripts:
            plans[source.path] = plan_training(source, modules, scripts, has_size)
        elif source.is_module and "create(" in source.text:
            submission = plan_submission(source, modules)
            plans |= {source.path: submission} if submission is not None else {}
    edits: dict[Path, list[Edit]] = defaultdict(list)
    for plan in plans.values():
        for source, edit in plan.edits:
            edits[source.path].append(edit)
    new = dict(modules.by_name)
    found: dict[Path, Script] = {}
    for name, source in modules.by_name.items():
        path = source.path
        if path in plans or path in edits:
            script = plans.get(path, Script(source))  # without a plan it is a script's helper
            text = _new_text(script, edits[path], new)
            new[name] = replace(source, text=text, tree=ast.parse(text))
            found[path] = replace(script, lines=origins(source.lines, text.splitlines()))
    return new, found


def _new_text(script: Script, edits: list[Edit], by_name: Mapping[str, Source]) -> str:
    """A file with its edits and its trial, and with imports for them."""
    source = script.source
    text = apply(source, edits, {})
    added = {"import legacy_keras"}
    if script.support:
        edited = Source.of(source.path, text)
        class_name = script.entrypoint.partition(":")[2]
        text = with_trial(edited, class_name, script.context)
        added.add("from pedl.frameworks.keras import TFKerasTrial")
    project = frozenset(one.partition(".")[0] for one in by_name)
    wanted = Wanted(frozenset(added), lambda _: False, project)
    text = fit_imports(source, Source.of(source.path, text), wanted)
    return text if source.text[:1].isspace() else text.lstrip()


def origins(old: Sequence[str], new: Sequence[str]) -> tuple[int, ...]:
    """For each line of a new text, the line of the old text that it came from.

    A line that is new came from where the line before it did.
    """
    old_bare, new_bare = [line.strip() for line in old], [line.strip() for line in new]
    known = (_once(old_bare) & _once(new_bare)) - {""}
    found, last = [], 0
    for line in new_bare:
        if line in known:
            last = old_bare.index(line) + 1
        elif last < len(old) and old_bare[last] == line:
            last += 1
        found.append(max(last, 1))
    return tuple(found)


def _once(lines: Sequence[str]) -> set[str]:
    return {line for line, count in Counter(lines).items() if count == 1}


def at_old_lines(reading: Reading, placed: Iterable[Any]) -> list[Any]:
    """Findings and changes in rewritten scripts, at the lines of the scripts on the disk."""
    found = []
    for one in placed:
        script = reading.scripts.get(one.path)
        if script is not None and 0 < one.line <= len(script.lines):
            line = script.lines[one.line - 1]
            one = replace(one, line=line)
            if isinstance(one, Finding):
                code = reading.originals[one.path].lines[line - 1]  # maybe indented otherwise
                one = replace(one, code=code, column=0, end_column=0)
        found.append(one)
    return found
