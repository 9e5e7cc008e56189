"""What a rule about configs returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from pedl2det.analysis.config import Config, Entry, KeyPath
from pedl2det.analysis.config_nodes import whole_number
from pedl2det.analysis.experiment.changes import Change

Kind = Literal["note", "different", "left"]


@dataclass(frozen=True)
class ConfigFacts:
    """What the code of the trial and the user's options say about a config.

    Attributes:
        entrypoint: the trial that the config trains, as ``module:Class``.
        metric_renames: the names of metrics that the trial reports under another name now.
        batch_size: the batch size that a script cuts its data by, without a hyperparameter.
        cluster: whether the config is for a Determined cluster.
        batches_per_step: the batches of a step where the config does not say.
    """

    entrypoint: str | None = None
    metric_renames: Mapping[str, str] = field(default_factory=dict)
    batch_size: int | None = None
    cluster: bool = False
    batches_per_step: int = 100


@dataclass(frozen=True)
class Converted:
    """One rewritten place.

    Attributes:
        rule: the id of the rule.
        line: the line of the old config, from 1.
        message: what was rewritten.
        changes: the changes that do it.
    """

    rule: str
    line: int
    message: str
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Remark:
    """Something to say about a place.

    Attributes:
        rule: the id of the rule.
        line: the line of the old config, from 1.
        kind: ``note``; ``different``: rewritten, and a cluster searches otherwise; ``left``: a
            person decides.
        message: what was found and why it matters.
        help: what to write.
        mark: the key above which a ``left`` place gets a TODO comment.
    """

    rule: str
    line: int
    kind: Kind
    message: str
    help: str = ""
    mark: KeyPath | None = None


Result = Converted | Remark
Check = Callable[[Config, ConfigFacts], Iterator[Result]]


def left(rule: str, entry: Entry, message: str, help_: str) -> Remark:
    """A place that a person rewrites; its config does not run before."""
    text = f"{entry.name}: {message}; this config does not run until it is changed"
    return Remark(rule, entry.line, "left", text, help_, entry.path)


def number(entry: Entry | None, least: int = 1) -> int | None:
    """The value of a whole number, or None if it is not one."""
    value = whole_number((entry and entry.scalar) or "")
    return value if value is not None and value >= least else None
