"""C106: the searcher's metric by its name of today."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pedl2det.analysis.config import Config
from pedl2det.analysis.experiment.changes import Replace
from pedl2det.analysis.experiment.result import ConfigFacts, Converted, Remark, Result

RULE = "C106"
_HIGHER_IS_BETTER = re.compile(
    r"(?:^|_)(?:acc|accuracy|auc|dice|f1|iou|precision|recall)(?:_|$)", re.IGNORECASE
)
_LOWER_IS_BETTER = re.compile(r"loss|error", re.IGNORECASE)


def metric(config: Config, facts: ConfigFacts) -> Iterator[Result]:
    """Rename ``searcher.metric`` where the trial reports it under another name."""
    entry = config.entry("searcher", "metric")
    if entry is None or entry.scalar is None:
        return
    old = entry.scalar
    new = facts.metric_renames.get(old, old)
    if new != old:
        message = f"searcher.metric: what was reported as {old} is {new}"
        yield Converted(RULE, entry.line, message, (Replace(entry.path, new),))
        yield Remark(RULE, entry.line, "note", message)
    direction = config.entry("searcher", "smaller_is_better")
    is_higher = _HIGHER_IS_BETTER.search(old) and not _LOWER_IS_BETTER.search(old)
    is_minimised = direction is None or (direction.scalar or "").lower() == "true"
    if config.counts_steps and is_higher and is_minimised:
        message = f"searcher.metric: the best checkpoint is the one of the lowest {new}"
        help_ = "smaller_is_better: false, if the highest is meant"
        yield Remark(RULE, entry.line, "note", message, help_)
