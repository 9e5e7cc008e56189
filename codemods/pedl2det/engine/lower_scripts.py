"""Turn a training script into a trial before the rules see the project.

A script under PEDL fitted its own model and was the entrypoint of its config. Lowering puts its
code into a trial class of the same file; the rules then rewrite that like any other trial.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from pedl2det.analysis.config import Config
from pedl2det.analysis.project import Reading, Script, made
from pedl2det.analysis.source import Source
from pedl2det.engine.lowering import Facts, lower_script
from pedl2det.engine.new_texts import with_text
from pedl2det.engine.result import Change
from pedl2det.findings import Finding

_SIZES = ("global_batch_size", "batch_size")


def lower(reading: Reading) -> Reading:
    """Return the project with its scripts written as trials; other projects as they are."""
    sources = dict(reading.trial.modules.by_name)
    scripts: dict[Path, Script] = {}
    for name, path in _scripts(reading):
        others = {other: one for other, one in sources.items() if other != name}
        lowered = lower_script(sources[name], _facts(reading, name, path, others))
        sources[name] = with_text(sources[name], lowered.text)
        scripts[path] = Script(
            f"{name}:{lowered.class_name}" if lowered.class_name else "",
            lowered.config_needs,
            lowered.findings,
            lowered.lines,
            frozenset(lowered.support),
        )
    if not scripts:
        return reading
    return replace(reading, trial=made(reading.project, sources, reading.configs), scripts=scripts)


def _scripts(reading: Reading) -> Iterator[tuple[str, Path]]:
    """The modules of the project that its configs name as scripts."""
    wanted = set()
    for path, config in reading.configs.items():
        entry = config.entry("entrypoint", "script")
        if entry is not None and entry.scalar:
            wanted |= {base / entry.scalar for base in (path.parent, reading.project.home)}
    for name, source in reading.trial.modules.by_name.items():
        if source.path in wanted:
            yield name, source.path


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
    return int(text) if isinstance(text, str) and text.isdecimal() else None


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
