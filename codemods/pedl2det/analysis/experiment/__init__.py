"""Convert an experiment config to what Determined 0.38.1 accepts: what changes, and why.

Pure: a rule reads a config and facts about the trial, and returns changes and remarks. The rules
do not depend on their order.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from pedl2det.analysis.config import Config
from pedl2det.analysis.experiment.changes import Change, Comment
from pedl2det.analysis.experiment.entrypoint import entrypoint
from pedl2det.analysis.experiment.hyperparameters import (
    batch_size,
    bounds,
    script_batch_size,
    specs,
)
from pedl2det.analysis.experiment.lengths import epochs, periods, units
from pedl2det.analysis.experiment.metric import metric
from pedl2det.analysis.experiment.result import Check, ConfigFacts, Converted, Remark
from pedl2det.analysis.experiment.searcher import lengths, searches
from pedl2det.analysis.experiment.sections import floats, removed, unknown

__all__ = ["ConfigFacts", "Conversion", "Converted", "Remark", "convert"]

_CHECKS: tuple[Check, ...] = (
    *(batch_size, lengths, periods, units, bounds, floats, entrypoint, metric),
    *(script_batch_size, searches, removed, unknown, epochs, specs),
)
_WIDTH = 88


@dataclass(frozen=True)
class Conversion:
    """What becomes of a config.

    Attributes:
        converted: the rewritten places, in the order of their lines.
        remarks: what there is to say, in the order of the lines.
    """

    converted: tuple[Converted, ...]
    remarks: tuple[Remark, ...]


def convert(config: Config, facts: ConfigFacts) -> Conversion:
    """Return the changes that a config needs, and what a user should know about them.

    Args:
        config: the experiment config.
        facts: what the code of the trial and the user's options say.
    """
    results = [result for check in _CHECKS for result in check(config, facts)]
    results.sort(key=lambda result: (result.line, result.rule))
    return Conversion(
        tuple(result for result in results if isinstance(result, Converted)),
        tuple(result for result in results if isinstance(result, Remark)),
    )


def marks(config: Config, remark: Remark) -> tuple[Change, ...]:
    """The TODO comment above a place that is left, unless it is there already."""
    if remark.kind != "left" or remark.mark is None:
        return ()
    entry = config.entry(*remark.mark)
    title = f"TODO(pedl2det {remark.rule})"
    if entry is None or title in _comments_above(config, entry.line):
        return ()
    lines = textwrap.wrap(f"{title}: {remark.message}", _WIDTH, break_long_words=False)
    return (Comment(remark.mark, (*lines, *(f"  {line}" for line in remark.help.split("\n")))),)


def _comments_above(config: Config, line: int) -> str:
    """The lines of comment that end right above a line."""
    found: list[str] = []
    for text in reversed(config.text.split("\n")[: line - 1]):
        if not text.lstrip().startswith("#"):
            break
        found.append(text)
    return "\n".join(found)
