"""C106: the searcher's metric by its name of today."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from pedl2det.analysis.config import Config
from pedl2det.analysis.experiment.changes import Replace
from pedl2det.analysis.experiment.result import ConfigFacts, Converted, Remark, Result

RULE = "C106"
#: What Keras reports as the trial writes it today, and TensorFlow 1 reported by one name.
_SYNONYMS = (
    ("acc", "accuracy"),
    ("mae", "mean_absolute_error"),
    ("mse", "mean_squared_error"),
    ("mape", "mean_absolute_percentage_error"),
    ("msle", "mean_squared_logarithmic_error"),
    ("kld", "kullback_leibler_divergence", "kl_divergence"),
)
_OTHERS = ("binary_accuracy", "categorical_accuracy", "root_mean_squared_error")
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


def todays_name(metric: str, written: Collection[str]) -> str | None:
    """The name under which a compiled model reports a metric of TensorFlow 1 today.

    Keras reports a metric by the name with which the code asks for it, ``acc`` or ``accuracy``;
    TensorFlow 1 reported one of them for both.

    Args:
        metric: the metric as a config names it: ``val_acc``, ``val_digit_mae``.
        written: every text and name of the code that may stand for a metric.

    Returns:
        The new name; the same name if nothing changes or the code names no synonym; None if the
        code names several.
    """
    if metric.endswith(_OTHERS):
        return metric
    for words in _SYNONYMS:
        word = next((one for one in words if f"_{metric}".endswith(f"_{one}")), None)
        if word is None:
            continue
        named = [one for one in words if one in written]
        if len(named) > 1:
            return None
        return metric.removesuffix(word) + named[0] if named else metric
    return metric
