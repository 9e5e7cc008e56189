"""C105: a config names its trial."""

from __future__ import annotations

from collections.abc import Iterator

from pedl2det.analysis.config import Config, Entry
from pedl2det.analysis.experiment.changes import Delete, Flatten, Insert, Replace
from pedl2det.analysis.experiment.result import ConfigFacts, Converted, Result, left

RULE = "C105"


def entrypoint(config: Config, facts: ConfigFacts) -> Iterator[Result]:
    """Write ``entrypoint: module:Class``."""
    present, plural = config.entry("entrypoint"), config.entry("entrypoints")
    if present is not None and plural is not None:
        if present.scalar is None:
            yield left(RULE, present, "stands beside entrypoints", "entrypoint: module:Class")
        else:
            message = "entrypoints is removed: entrypoint names the trial"
            yield Converted(RULE, plural.line, message, (Delete(plural.path),))
    elif plural is not None:
        yield from _plural(config, facts, plural)
    elif present is not None and not present.is_null:
        yield from _singular(config, facts, present)
    elif facts.entrypoint is not None:
        changes = (Insert((), "entrypoint", facts.entrypoint),)
        line = config.text.count("\n") + 1
        message = f"entrypoint: {facts.entrypoint}"
        delete = (Delete(present.path),) if present is not None else ()
        yield Converted(RULE, line, message, (*delete, *changes))


def _plural(config: Config, facts: ConfigFacts, plural: Entry) -> Iterator[Result]:
    """``entrypoints`` also named the functions that the trial calls itself now."""
    trial = config.entry("entrypoints", "trial_class")
    named = (trial and trial.scalar) or None
    new = facts.entrypoint or named
    if new is None:
        yield left(RULE, plural, "names no trial_class", "entrypoint: module:Class")
    elif named is not None and _class(named) != _class(new):
        message = f"names {named}, and the trial of this config is {new}"
        yield left(RULE, trial or plural, message, f"entrypoint: {new}")
    else:
        change = Flatten(plural.path, "entrypoint", new)
        yield Converted(RULE, plural.line, f"entrypoints is entrypoint: {new}", (change,))


def _singular(config: Config, facts: ConfigFacts, present: Entry) -> Iterator[Result]:
    new = facts.entrypoint
    if present.scalar is not None:
        if new is not None and present.scalar.startswith(":") and present.scalar != new:
            message = f"entrypoint: {present.scalar} stands in the package itself: {new}"
            yield Converted(RULE, present.line, message, (Replace(present.path, new),))
        return
    if not present.is_mapping:
        return  # a command, as Determined has it
    others = [one for one in config.entries("entrypoint") if one.path[-1] != "script"]
    if others:
        yield left(RULE, others[0], "has no equivalent", "entrypoint: module:Class")
    elif new is None:
        message = "names a script, from which no trial was made"
        yield left(RULE, present, message, "entrypoint: module:Class")
    else:
        message = f"entrypoint: the script is the trial {new}"
        change = Flatten(present.path, "entrypoint", new)
        yield Converted(RULE, present.line, message, (change,))


def _class(name: str) -> str:
    return name.rpartition(":")[2]
