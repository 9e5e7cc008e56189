"""C102: periods and steps in batches. C111: lengths in epochs of which nobody says how long."""

from __future__ import annotations

from collections.abc import Iterator

from pedl2det.analysis.config import Config, Entry
from pedl2det.analysis.experiment.changes import Delete, Insert, Nest, Rename
from pedl2det.analysis.experiment.result import (
    ConfigFacts,
    Converted,
    Result,
    left,
    number,
)
from pedl2det.analysis.experiment.searcher import obstacle, per_step

LENGTHS, EPOCHS = "C102", "C111"
_PERIODS = ("min_validation_period", "min_checkpoint_period")
_LENGTHS = (("searcher", "max_length"), *((name,) for name in _PERIODS))


def periods(config: Config, facts: ConfigFacts) -> Iterator[Result]:
    """Convert periods from steps to batches, and the length of a step."""
    steps = per_step(config, facts)
    if obstacle(config, facts) is not None or steps is None:
        return
    for name in _PERIODS:
        period = config.entry(name)
        if period is None or period.scalar is None or period.is_null:
            continue
        count = number(period, least=0)
        if count is None:
            help_ = f"{name}: {{batches: ...}}"
            yield left(LENGTHS, period, "expected a whole number of steps", help_)
            continue
        message = f"{name}: {count} steps are {count * steps} batches"
        change = Nest(period.path, name, "batches", str(count * steps))
        yield Converted(LENGTHS, period.line, message, (change,))
    yield from _step(config, facts)


def _step(config: Config, facts: ConfigFacts) -> Iterator[Result]:
    stated = config.entry("batches_per_step")
    if stated is None:
        searcher = config.entry("searcher")
        if facts.batches_per_step != 100 and config.counts_steps and searcher:
            text = str(facts.batches_per_step)
            message = f"scheduling_unit: {text}, the batches of a step"
            change = Insert((), "scheduling_unit", text)
            yield Converted(LENGTHS, searcher.line, message, (change,))
    elif config.entry("scheduling_unit") is not None:
        message = "batches_per_step is removed: scheduling_unit says the same"
        yield Converted(LENGTHS, stated.line, message, (Delete(stated.path),))
    else:
        message = "batches_per_step is scheduling_unit"
        yield Converted(LENGTHS, stated.line, message, (Rename(stated.path, "scheduling_unit"),))


def epochs(config: Config, _: ConfigFacts) -> Iterator[Result]:
    """Mark a length in epochs where the config does not say how many records an epoch has."""
    if number(config.entry("records_per_epoch")) is not None:
        return
    for entry in _in_epochs(config):
        message = "a length in epochs needs records_per_epoch"
        yield left(EPOCHS, entry, message, "records_per_epoch: the records of the training data")
        return


def _in_epochs(config: Config) -> Iterator[Entry]:
    for path in _LENGTHS:
        entry = config.entry(*path, "epochs")
        if entry is not None and number(entry) is not None:
            yield entry


def units(config: Config, _: ConfigFacts) -> Iterator[Result]:
    """Name a length that is a number without a unit."""
    length = config.entry("searcher", "max_length")
    if length is not None and length.scalar is not None and not length.is_null:
        help_ = f"max_length: {{batches: {length.scalar}}}"
        yield left(LENGTHS, length, "expected batches, records or epochs", help_)
