"""Turn a training script into a trial before the rules see the project.

A script under PEDL fitted its own model and was the entrypoint of its config. Lowering puts its
code into a trial class of the same file; the rules then rewrite that like any other trial.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from pedl2det.analysis.config import Config, whole_number
from pedl2det.analysis.project import Reading, Script, made
from pedl2det.analysis.source import Source
from pedl2det.engine.lowering import Facts, Lowered, lower_script, without_submission
from pedl2det.engine.lowering.origins import origins
from pedl2det.engine.new_texts import with_text
from pedl2det.engine.result import Change
from pedl2det.findings import Finding

_SIZES = ("global_batch_size", "batch_size")


def lower(reading: Reading) -> Reading:
    """Return the project with its scripts written as trials; other projects as they are."""
    sources = dict(reading.trial.modules.by_name)
    scripts: dict[Path, Script] = {}
    wanted = _scripts(reading)
    for name in list(sources):
        source = sources[name]  # another script may have changed it
        if not source.is_module or (source.path not in wanted and "create(" not in source.text):
            continue
        others = {other: one for other, one in sources.items() if other != name}
        facts = _facts(reading, name, source.path, others)
        if source.path in wanted:
            lowered: Lowered | None = lower_script(source, facts)
        else:
            lowered = without_submission(source, facts)
        if lowered is not None:
            sources[name] = with_text(source, lowered.text)
            for other, one in others.items():
                if (text := lowered.elsewhere.get(one.path)) is not None:
                    sources[other] = with_text(one, text)
                    lines = origins(one.lines, text.splitlines())
                    scripts.setdefault(one.path, Script("", (), (), lines, frozenset()))
            scripts[source.path] = _script(lowered)
    if not scripts:
        return reading
    trial = made(reading.project, sources, reading.configs, mended=reading.trial.mended)
    trial.counts_in_steps |= any(_counts_in_steps(one.config) for one in scripts.values())
    return replace(reading, trial=trial, scripts=scripts)


def _script(lowered: Lowered) -> Script:
    return Script(
        lowered.entrypoint,
        lowered.config_needs,
        lowered.findings,
        lowered.lines,
        frozenset(lowered.support),
        lowered.config,
    )


def _counts_in_steps(config: Mapping[str, object] | None) -> bool:
    """Whether a config that stood in a script says its lengths in steps."""
    searcher = (config or {}).get("searcher")
    return isinstance(searcher, dict) and any(
        one in searcher for one in ("max_steps", "target_trial_steps", "step_budget")
    )


def _scripts(reading: Reading) -> set[Path]:
    """The scripts of the project: those that its configs name, and those of the Native API."""
    found = set(reading.project.scripts)
    for path, config in reading.configs.items():
        entry = config.entry("entrypoint", "script")
        if entry is not None and entry.scalar:
            found |= {base / entry.scalar for base in (path.parent, reading.project.home)}
    return found


def _facts(reading: Reading, name: str, path: Path, others: Mapping[str, Source]) -> Facts:
    sizes = [one for config in reading.configs.values() for one in _batch_sizes(config)]
    known = {one for one in sizes if one is not None}
    steps = [config.entry("batches_per_step") for config in reading.configs.values()]
    numbers = [one for step in steps if (one := _number(step.scalar if step else None)) is not None]
    return Facts(
        path,
        name,
        others,
        batch_size=known.pop() if len(known) == 1 and None not in sizes else None,
        has_batch_size=bool(sizes),
        batches_per_step=numbers[0] if numbers else 100,
    )


def _batch_sizes(config: Config) -> Iterator[int | None]:
    """The batch size of a config; None for one that is searched."""
    for key in _SIZES:
        entry = config.entry("hyperparameters", key)
        if entry is not None:
            yield _number(entry.scalar)
            return


def _number(text: object) -> int | None:
    return whole_number(text) if isinstance(text, str) and text.isdecimal() else None


def at_old_lines(reading: Reading, findings: Iterable[Finding]) -> list[Finding]:
    """Findings about lowered scripts, at the lines of the scripts as they are on the disk."""
    found = []
    own = {id(one) for script in reading.scripts.values() for one in script.findings}
    for one in findings:
        script = reading.scripts.get(one.path)
        if script is None or id(one) in own or not 0 < one.line <= len(script.lines):
            found.append(one)
            continue
        line = script.lines[one.line - 1]
        old = reading.originals[one.path].lines[line - 1]
        moved = replace(one, line=line, code=old)
        found.append(moved if old == one.code else _with_columns(moved, one))
    return found


def _with_columns(moved: Finding, one: Finding) -> Finding:
    """The columns of a line that is indented otherwise; none where its text differs."""
    if not one.column or one.code.strip() != moved.code.strip():
        return replace(moved, column=0, end_column=0)
    shift = len(moved.code) - len(moved.code.lstrip()) - (len(one.code) - len(one.code.lstrip()))
    return replace(moved, column=one.column + shift, end_column=one.end_column + shift)


def changes_at_old_lines(reading: Reading, changes: Iterable[Change]) -> list[Change]:
    """The places that rules rewrote in lowered scripts, at their old lines."""
    found = []
    for one in changes:
        script = reading.scripts.get(one.path)
        if script is not None and 0 < one.line <= len(script.lines):
            one = replace(one, line=script.lines[one.line - 1])
        found.append(one)
    return found
