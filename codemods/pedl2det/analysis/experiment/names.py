"""C105: a config names its trial. C106: its metric has the name of today."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pedl2det.analysis.config import Config
from pedl2det.analysis.experiment.edits import ConfigFacts, Delete, Edit, Insert, Put, left
from pedl2det.analysis.experiment.examples import SINGLE, config_example
from pedl2det.analysis.text_rules import TextFinding, TextRule
from pedl2det.findings import Kind

_WRITE = "entrypoint: module:Class"
_HIGHER_IS_BETTER = re.compile(
    r"(?:^|_)(?:acc|accuracy|auc|dice|f1|iou|precision|recall)(?:_|$)", re.IGNORECASE
)
_LOWER_IS_BETTER = re.compile(r"loss|error", re.IGNORECASE)


def _entrypoint(config: Config, facts: ConfigFacts) -> Iterator[Edit | TextFinding]:
    """Write ``entrypoint: module:Class``."""
    present, plural, new = config.entry("entrypoint"), config.entry("entrypoints"), facts.entrypoint
    if plural is not None:
        named = config.scalar("entrypoints", "trial_class")
        text = new or named
        if present is not None or not text:
            message = "names no trial_class" if not text else "stands beside entrypoint"
            yield left("C105", plural, message, _WRITE)
        elif named and named.rpartition(":")[2] != text.rpartition(":")[2]:
            message = f"names {named}, and the trial of this config is {text}"
            yield left("C105", plural, message, f"entrypoint: {text}")
        else:
            yield Put("C105", plural, "entrypoint", text)
    elif present is None or present.is_null:
        if new is not None:
            if present is not None:
                yield Delete("C105", present)
            yield Insert("C105", ("entrypoint",), new, config.text.count("\n") + 1)
    elif present.scalar is not None:
        if new is not None and present.scalar.startswith(":") and present.scalar != new:
            yield Put("C105", present, value=new)  # the trial is in the package itself
    elif present.is_mapping:  # else it is a command, as Determined has it
        if new is None or len(config.entries("entrypoint")) > 1:
            message = "names a script, from which no trial was made, or more than a script"
            yield left("C105", present, message, _WRITE)
        else:
            yield Put("C105", present, "entrypoint", new)


def _metric(config: Config, facts: ConfigFacts) -> Iterator[Edit | TextFinding]:
    """Rename ``searcher.metric`` where the trial reports it under another name."""
    entry = config.entry("searcher", "metric")
    if entry is None or entry.scalar is None:
        return
    old = entry.scalar
    new = facts.metric_renames.get(old, old)
    if new != old:
        yield Put("C106", entry, value=new)
        message = f"searcher.metric: what was reported as {old} is {new}"
        yield TextFinding("C106", entry.line, Kind.NOTE, message)
    is_higher = _HIGHER_IS_BETTER.search(old) and not _LOWER_IS_BETTER.search(old)
    is_minimised = config.scalar("searcher", "smaller_is_better").lower() in ("", "true")
    if config.counts_steps and is_higher and is_minimised:
        message = f"searcher.metric: the best checkpoint is the one of the lowest {new}"
        help_ = "smaller_is_better: false, if the highest is meant"
        yield TextFinding("C106", entry.line, Kind.NOTE, message, help_)


RULES = (
    TextRule(
        "C105",
        "config-entrypoint",
        "PEDL took the only trial of the package, or the parts that entrypoints named. A config "
        "names its trial as module:Class.",
        "const.yaml",
        f"entrypoints:\n  trial_class: model_def:T\nhyperparameters: {{}}\n{SINGLE}",
        f"entrypoint: model_def:T\nhyperparameters: {{}}\n{SINGLE}",
        check=_entrypoint,
    ),
    TextRule(
        "C106",
        "config-metric",
        "searcher.metric follows the trial: val_ before the metrics of a KerasTrial, val_accuracy "
        "for val_acc where the trial says accuracy.",
        *config_example(
            "hyperparameters: {}\n",
            "hyperparameters: {}\n",
            SINGLE.replace("val_loss", "val_acc"),
            SINGLE.replace("val_loss", "val_accuracy"),
        ),
        check=_metric,
    ),
)
