"""Hyperparameters: batch size (C101, C107), integer bounds (C103), specifications (C112)."""

from __future__ import annotations

from collections.abc import Iterator

from pedl2det.analysis.config import Config, Entry
from pedl2det.analysis.config_nodes import whole_number
from pedl2det.analysis.experiment import keys
from pedl2det.analysis.experiment.changes import Change, Delete, Insert, Rename, Replace
from pedl2det.analysis.experiment.result import ConfigFacts, Converted, Remark, Result, left, number
from pedl2det.analysis.experiment.searcher import obstacle

BATCH_SIZE, BOUNDS, SCRIPT, SPECS = "C101", "C103", "C107", "C112"
_SECTION = "hyperparameters"


def batch_size(config: Config, _: ConfigFacts) -> Iterator[Result]:
    """Rename ``batch_size``, whatever its type."""
    entry = config.entry(_SECTION, "batch_size")
    if entry is not None and config.entry(_SECTION, "global_batch_size") is None:
        message = "hyperparameters.batch_size is global_batch_size"
        change = Rename(entry.path, "global_batch_size")
        yield Converted(BATCH_SIZE, entry.line, message, (change,))


def script_batch_size(config: Config, facts: ConfigFacts) -> Iterator[Result]:
    """Give a config the batch size that its script cuts data by."""
    if facts.batch_size is None:
        return
    sizes = (config.entry(_SECTION, name) for name in ("global_batch_size", "batch_size"))
    present = next((size for size in sizes if size is not None), None)
    if present is not None:
        if number(present) != facts.batch_size:
            message = f"the script cuts batches of {facts.batch_size} records, whatever this says"
            help_ = f"global_batch_size: {facts.batch_size}"
            yield left(SCRIPT, present, message, help_)
        return
    slots = number(config.entry("resources", "slots_per_trial")) or 1
    text = str(facts.batch_size * slots)
    message = f"hyperparameters.global_batch_size: {text}, by which the script cuts its data"
    section = config.entry(_SECTION)
    if section is None:
        change: Change = Insert((), _SECTION, f"{{global_batch_size: {text}}}")
    else:
        change = Insert(section.path, "global_batch_size", text)
    yield Converted(SCRIPT, section.line if section else 1, message, (change,))


def bounds(config: Config, facts: ConfigFacts) -> Iterator[Result]:
    """Lower the upper bound of integers, which searches excluded before Determined 0.17.

    A grid always had both ends.
    """
    name = config.entry("searcher", "name")
    searcher = name.scalar if name is not None else None
    is_old = config.counts_steps or searcher in keys.GONE_SEARCHERS
    if not is_old or searcher == "grid" or obstacle(config, facts) is not None:
        return
    for spec, kind in specifications(config):
        if kind == "int":
            yield from _lowered(config, spec)


def _lowered(config: Config, spec: Entry) -> Iterator[Result]:
    low, high = (config.entry(*spec.path, name) for name in ("minval", "maxval"))
    ends = [_integer(low), _integer(high)]
    if low is None or high is None or None in ends:
        yield left(BOUNDS, spec, "expected whole numbers as minval and maxval", "maxval: a number")
        return
    least, most = (end or 0 for end in ends)
    if most <= least:
        yield left(BOUNDS, high, f"no whole number is below {most} and at least {least}", "")
        return
    changes: list[Change] = [Replace(high.path, str(most - 1))]
    message = f"{high.name}: {most} was excluded, {most - 1} is included"
    if most - 1 == least:  # a range of one number is rejected
        message = f"{spec.name}: only {least} was ever drawn: a constant"
        changes += [Rename(high.path, "val"), Replace((*spec.path, "type"), "const")]
        gone = (config.entry(*spec.path, name) for name in ("minval", "count"))
        changes += [Delete(entry.path) for entry in gone if entry is not None]
    yield Converted(BOUNDS, high.line, message, tuple(changes))
    text = f"{high.name}: {most} was never drawn, {most - 1} was"
    yield Remark(BOUNDS, high.line, "note", text)


def _integer(entry: Entry | None) -> int | None:
    return whole_number((entry and entry.scalar) or "")


def specs(config: Config, facts: ConfigFacts) -> Iterator[Result]:
    """Complete the specifications of hyperparameters."""
    name = config.entry("searcher", "name")
    is_grid = name is not None and name.scalar == "grid"
    for spec, kind in specifications(config):
        if kind not in keys.HYPERPARAMETERS:
            expected = ", ".join(keys.HYPERPARAMETERS)
            entry = config.entry(*spec.path, "type")
            assert entry is not None
            yield left(SPECS, entry, f"unknown type {kind}", f"use one of {expected}")
            continue
        if kind == "log" and config.entry(*spec.path, "base") is None:
            message = f"{spec.name}.base: 10.0 was the default, and has to be written"
            yield Converted(SPECS, spec.line, message, (Insert(spec.path, "base", "10.0"),))
        if is_grid and kind in ("int", "double", "log"):
            yield from _count(config, facts, spec)
        if config.counts_steps:
            yield from _stray(config, spec, kind)


def _count(config: Config, facts: ConfigFacts, spec: Entry) -> Iterator[Result]:
    if config.entry(*spec.path, "count") is not None:
        return
    message = f"{spec.name}: a grid search needs to know how many values to try"
    kind, mark = ("left", spec.path) if facts.cluster else ("note", None)
    yield Remark(SPECS, spec.line, kind, message, "count: ...", mark)  # type: ignore[arg-type]


def _stray(config: Config, spec: Entry, kind: str) -> Iterator[Result]:
    for entry in config.entries(*spec.path):
        if entry.path[-1] not in keys.HYPERPARAMETERS[kind]:
            text = f"{entry.name} is removed: it had no effect, and is rejected now"
            yield Converted(SPECS, entry.line, text, (Delete(entry.path),))


def specifications(config: Config) -> Iterator[tuple[Entry, str]]:
    """Every hyperparameter that is a mapping with a type, in groups too, with its type."""
    stack = config.entries(_SECTION)[::-1]
    while stack:
        entry = stack.pop()
        kind = config.entry(*entry.path, "type") if entry.is_mapping else None
        if kind is not None and kind.scalar is not None:
            yield entry, kind.scalar
        elif entry.is_mapping:
            stack += config.entries(*entry.path)[::-1]
